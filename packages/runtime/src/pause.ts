/** Waits `ms` milliseconds or until the signal aborts. It never rejects, and its timer does not keep the process alive. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // A longer setTimeout overflows to 1 ms.
    const timer = setTimeout(done, Math.min(Math.max(ms, 0), 2 ** 31 - 1));
    timer.unref();
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
