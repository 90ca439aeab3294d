/** Waits `ms` milliseconds or until the signal aborts; it never rejects and keeps no process alive by itself. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // Above this setTimeout overflows to 1 ms.
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
