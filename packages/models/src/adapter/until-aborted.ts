/**
 * Runs the work until it settles or the signal aborts. After an abort, it rejects with the signal's reason at once, even if the work still waits. The
 * work should watch the signal too and stop. Its result after the abort is ignored.
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
