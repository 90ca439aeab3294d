import type { Log } from "@toolbus/telemetry";

/** What is tried again and again, and fails for as long as something else is broken. */
export interface LastingTrouble {
  /** Tells when it begins, and of each further cause once; of the same again it only counts. */
  failed(error: unknown): void;
  /** Tells that it is over, where something was told. */
  worked(): void;
}

/**
 * A loop that asks four times a second writes a line with a stack each time, for every hour that a store is away, and nobody finds the line that matters. So
 * the log has one when it begins and one when it is over, with the number of tries that failed.
 */
export function lastingTrouble(
  log: Pick<Log, "info" | "warn">,
  { service, begins, ends }: { readonly service: string; readonly begins: string; readonly ends: string },
): LastingTrouble {
  const told = new Set<string>();
  let failures = 0;
  return {
    failed(error) {
      failures++;
      const cause = error instanceof Error ? error.message : String(error);
      if (told.has(cause) || told.size === MOST_CAUSES) return;
      told.add(cause);
      log.warn({ error, service }, begins);
    },
    worked() {
      if (told.size > 0) log.info({ service, failures }, ends);
      told.clear();
      failures = 0;
    },
  };
}

/** A cause with a number that differs each time would be a line each time. */
const MOST_CAUSES = 8;
