/** A value that is read when somebody asks for it, by one reader at a time. */
export interface SingleRead<T> {
  /** Returns the value, or undefined if the signal aborts first. The read continues, so that a later question finds its result. */
  within(signal: AbortSignal): Promise<T | undefined>;
  /** Aborts a read that is active. */
  stop(): void;
}

/** Keeps a value if `isFinal` says so. Any other value, and an error, is forgotten, and the next question reads again. */
export function singleRead<T>(read: (signal: AbortSignal) => Promise<T>, isFinal: (value: T) => boolean): SingleRead<T> {
  const stopping = new AbortController();
  let reading: Promise<T> | undefined;
  const start = () => {
    const started = read(stopping.signal);
    const forget = () => {
      if (reading === started) reading = undefined;
    };
    started.then((value) => void (isFinal(value) || forget()), forget);
    return started;
  };
  return {
    async within(signal) {
      if (signal.aborted) return undefined;
      reading ??= start();
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const stop = () => resolve(undefined);
      signal.addEventListener("abort", stop, { once: true });
      return Promise.race([reading, late]).finally(() => signal.removeEventListener("abort", stop));
    },
    stop: () => stopping.abort(),
  };
}
