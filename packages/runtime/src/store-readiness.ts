import { type StateStore, StoreRefused, StoreUnavailable } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { type Need, Unready } from "./http/health-routes.ts";

/** How long an answer of the store is cached. All requests within this time share one small write. */
const KEPT_MS = 2000;
/** After this time the check gives up a pending probe, and the next request starts a new one. */
const GIVEN_UP_MS = 10_000;

export interface StoreReadinessOptions {
  readonly state: Pick<StateStore, "probe">;
  readonly monotonic: () => number;
  readonly log: Pick<Log, "info" | "warn">;
}

/**
 * Returns the check for `/readyz` that the state store accepts changes. The check makes one real write at a time, at most every two seconds, however
 * many requests arrive. Strangers see only one word for the cause. When the fault begins or changes, the check logs the store's own sentence. When
 * the fault is over, it logs another line.
 */
export function storeReadiness({ state, monotonic, log }: StoreReadinessOptions): Need {
  let last: { readonly at: number; readonly outcome: Promise<void>; settled: boolean } | null = null;
  let reported: string | null = null;
  return {
    what: "the state store",
    ask() {
      const now = monotonic();
      if (!last || now - last.at >= (last.settled ? KEPT_MS : GIVEN_UP_MS)) last = begin(now);
      return last.outcome;
    },
  };

  function begin(at: number): NonNullable<typeof last> {
    const outcome = probe();
    const begun = { at, outcome, settled: false };
    const settle = (): void => void (begun.settled = true);
    outcome.then(settle, settle);
    return begun;
  }

  async function probe(): Promise<void> {
    try {
      await state.probe();
    } catch (error) {
      const reason = reasonOf(error);
      if (reported !== reason) log.warn({ error, reason }, "the state store accepts no changes now, so this process is not ready");
      reported = reason;
      throw new Unready(reason, { cause: error });
    }
    if (reported !== null) log.info({ reason: reported }, "the state store accepts changes again");
    reported = null;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof StoreUnavailable) {
    return error.fault === undefined ? "the state store does not answer" : `the state store accepts no changes: ${error.fault}`;
  }
  return `the state store accepts no changes: ${error instanceof StoreRefused ? "refused" : "failed"}`;
}
