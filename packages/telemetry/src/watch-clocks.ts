import type { Log } from "./logger.ts";
import { observeGauge } from "./measurements.ts";
import { metricNames } from "./names.ts";

/** The facts that a process knows about its clock and the store's. The state store's `StoreClock` has this form. */
export interface ClocksToWatch {
  /** Returns this process's clock minus the store's, in milliseconds. Returns null if the difference is unknown, or if both are the same clock. */
  skew(): number | null;
  /** Returns the clocks that differ. */
  faults(): readonly { readonly name: string; readonly sentence: string }[];
}

const EVERY_MS = 10_000;

/**
 * Logs which clocks differ, at once and whenever this changes, and measures the difference. Returns a function that stops this. The timer does not
 * keep the process alive.
 */
export function watchClocks(log: Log, clocks: ClocksToWatch, everyMs: number = EVERY_MS): () => void {
  let reported = "";
  look();
  const timer = setInterval(look, everyMs).unref();
  const unmeasure = observeGauge(metricNames.clockSkew, async () => clocks.skew());
  return () => {
    clearInterval(timer);
    unmeasure();
  };

  function look(): void {
    const faults = clocks.faults();
    const names = faults.map(({ name }) => name).join();
    if (names === reported) return;
    reported = names;
    const skew = clocks.skew();
    if (faults.length === 0) log.info({}, "This machine's clock and the state store's agree again.");
    for (const { name, sentence } of faults) {
      log.warn(
        { clock: name, ...(skew === null ? {} : { skewMs: Math.round(skew) }) },
        `Clocks do not agree: ${sentence}. Deadlines use the store's time and still hold. Times in logs, TLS and logins from outside use this machine's clock.`,
      );
    }
  }
}
