/**
 * Runs the work until it settles or the signal aborts. After an abort, it rejects with the signal's reason at once, even if the work still waits. The
 * work should also watch the signal and stop. The function ignores a result that arrives after the abort.
 */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } catch (error) {
    // A client that notices the abort first throws its own error.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
