/** The result of a piece of work. `thrown` is the thrown value, unchanged. */
export type Ending<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "threw"; readonly thrown: unknown }
  | { readonly kind: "late" };

/**
 * Runs work for at most `deadlineMs` and passes a signal to it. At the deadline the signal aborts with a `TimeoutError` and the ending is "late" at
 * once, even if the work ignores the signal. A later result is dropped. When `outer` aborts, the signal aborts with the same reason.
 */
export async function runWithin<T>(deadlineMs: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<Ending<T>> {
  const controller = new AbortController();
  const late = Promise.withResolvers<Ending<T>>();
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`The deadline of ${deadlineMs} ms passed.`, "TimeoutError"));
    late.resolve({ kind: "late" });
  }, deadlineMs);
  const onOuterAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onOuterAbort();
  else outer.addEventListener("abort", onOuterAbort, { once: true });
  try {
    return await Promise.race([endingOf(() => work(controller.signal)), late.promise]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", onOuterAbort);
  }
}

async function endingOf<T>(work: () => Promise<T>): Promise<Ending<T>> {
  try {
    return { kind: "done", value: await work() };
  } catch (thrown) {
    return { kind: "threw", thrown };
  }
}
