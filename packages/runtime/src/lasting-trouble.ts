import type { Log } from "@toolbus/telemetry";

/** Logs the failures of an action that its caller retries until somebody fixes a fault elsewhere. */
export interface LastingTrouble {
  /** Logs the first failure, and then each new cause once. All other failures are only counted. */
  failed(error: unknown): void;
  /** Logs the end of the trouble, if its beginning was logged. */
  worked(): void;
}

/**
 * Creates the log of an action's failures. Without it, a loop that asks an unavailable store four times a second would log a stack each time, and
 * nobody would find the important line. So the log has one line at the beginning, and one at the end with the number of failed tries.
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

/** The maximum number of logged causes. Without it, a cause with a different number each time would be logged each time. */
const MOST_CAUSES = 8;
