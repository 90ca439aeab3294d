/**
 * Runs the work until it settles or the signal aborts, whichever is first; then it rejects with the signal's reason at once, whatever the work
 * still waits for. The work gets the signal too and should end itself; nobody reads what it does after the abort.
 */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } catch (error) {
    // A client that notices the abort first has its own words for it.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
