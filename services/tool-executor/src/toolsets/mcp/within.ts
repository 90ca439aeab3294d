/** The error for a step of a server that took longer than allowed. */
export class StepTimeout extends Error {
  override readonly name = "StepTimeout";
}

/**
 * Races a step against our own timer and a signal, even if the step ignores its own signal. The step's signal aborts at the first of the two, and the
 * step's later result is dropped. Rejects with `StepTimeout`, or with the signal's reason.
 */
export async function within<T>(
  step: (signal: AbortSignal) => Promise<T>,
  { ms, signal, what }: { readonly ms: number; readonly signal: AbortSignal; readonly what: string },
): Promise<T> {
  const own = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const stop = (reason: Error): void => {
    reject(reason);
    own.abort(reason);
  };
  const onAbort = (): void => stop(signal.reason instanceof Error ? signal.reason : new Error("It was stopped."));
  const timer = setTimeout(() => stop(new StepTimeout(`${what} took longer than ${ms} ms.`)), ms);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([ended, step(own.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
