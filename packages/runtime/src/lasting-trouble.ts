import type { Log } from "@toolbus/telemetry";

/** The failures of something that is retried for as long as something else is broken. */
export interface LastingTrouble {
  /** Reports when it begins, and each further cause once; repeats are only counted. */
  failed(error: unknown): void;
  /** Reports that it is over, if it was reported. */
  worked(): void;
}

/**
 * A loop that asks four times a second would write a line with a stack each time, for every hour that a store is unavailable, and nobody would find the
 * line that matters. So the log has one line when it begins and one when it is over, with the number of failed tries.
 */
export function lastingTrouble(
  log: Pick<Log, "info" | "warn">,
  { service, begins, ends }: { readonly service: string; readonly begins: string; readonly ends: string },
): LastingTrouble {
  const reported = new Set<string>();
  let failures = 0;
  return {
    failed(error) {
      failures++;
      const cause = error instanceof Error ? error.message : String(error);
      if (reported.has(cause) || reported.size === MOST_CAUSES) return;
      reported.add(cause);
      log.warn({ error, service }, begins);
    },
    worked() {
      if (reported.size > 0) log.info({ service, failures }, ends);
      reported.clear();
      failures = 0;
    },
  };
}

/** A cause that contains a different number each time would be a line each time. */
const MOST_CAUSES = 8;
