import { signalOnDemand } from "./signal-on-demand.ts";

/** The result of a piece of work. `thrown` is the thrown value, unchanged. */
export type Ending<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "threw"; readonly thrown: unknown }
  | { readonly kind: "late" };

/**
 * Runs work for at most `deadlineMs` and passes a function to it that returns a signal. At the deadline the signal aborts with a `TimeoutError` and the
 * ending is "late" at once, even if the work ignores the signal. A later result is dropped. When `outer` aborts, the signal aborts with the same
 * reason.
 */
export function runWithin<T>(deadlineMs: number, outer: AbortSignal, work: (signal: () => AbortSignal) => Promise<T>): Promise<Ending<T>> {
  const { promise, resolve } = Promise.withResolvers<Ending<T>>();
  const own = signalOnDemand(outer);
  const timer = setTimeout(() => {
    own.abort(new DOMException(`The deadline of ${deadlineMs} ms passed.`, "TimeoutError"));
    end({ kind: "late" });
  }, deadlineMs);
  begun(work, own.signal).then(
    (value) => end({ kind: "done", value }),
    (thrown: unknown) => end({ kind: "threw", thrown }),
  );
  return promise;

  function end(ending: Ending<T>): void {
    clearTimeout(timer);
    own.end();
    resolve(ending);
  }
}

/** Begins the work. Work that throws at once rejects like work that throws later. */
async function begun<T>(work: (signal: () => AbortSignal) => Promise<T>, signal: () => AbortSignal): Promise<T> {
  return work(signal);
}
