import { rootRunId, type Run, type RunOrigin, type Usage } from "@toolbus/contracts";
import { type FactsOf, mostCost } from "@toolbus/models";
import type { StateStore } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import type { Origins } from "../origins.ts";
import type { Profile } from "../profile.ts";
import { type BudgetConfig, type BudgetLimits, budgetLimits, type Ceilings, limitNamed, type Whose } from "./budget-limits.ts";
import { dayEnd, dayPlace, runPlace } from "./budget-places.ts";
import { exhaustedSentence } from "./budget-sentences.ts";
import { type BudgetWindows, budgetWindows, type Hold, type Taken, type WindowPlace } from "./budget-window.ts";

/** The fields of a run that its budgets need to find the requester and to name the current step. */
export type BudgetedRun = Pick<Run, "runId" | "profile" | "round" | "epoch" | "stepStartedAt">;

/** The most that the next step of a run may use. */
export interface Estimate {
  readonly provider: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** The number of tool calls that the step makes, whatever the model answers. */
  readonly toolCalls: number;
}

/** The reservations of one step, one from each budget that limits it. */
export interface Reservation {
  readonly kind: "reserved";
  readonly holds: readonly Hold[];
}

/** The step is not allowed. The run ends with this code and message. */
export interface Refused {
  readonly kind: "refused";
  readonly code: "budget_exhausted" | "model_unpriced" | "origin_unknown";
  readonly message: string;
}

/** The resources that a step has used. */
export interface StepUse {
  /** The usage of the model call. */
  readonly usage: Pick<Usage, "inputTokens" | "outputTokens" | "costMicroUsd" | "unpricedCalls">;
  /** The number of tool calls that the model asks for. */
  readonly toolCalls: number;
}

/**
 * The budgets of runs, principals and tenants. The agent reserves from the budgets before a model call and settles after it. Each budget is in its
 * own shard and is never part of the run's commit. If no limit is set, `reserve` and `settle` do nothing. If a process dies between the two, the
 * reservation stays, because the vendor may have charged for the call.
 */
export interface Budgets {
  /** The model prices that these budgets use. */
  readonly factsOf: FactsOf;
  /** Returns whether any budget limits the runs of a profile. */
  limits(profile: string): boolean;
  /**
   * Reserves the most that this step may use, from all budgets or from none. Rejects if the store gives no answer. The call must then not be made.
   */
  reserve(run: BudgetedRun, estimate: () => Estimate, signal: AbortSignal): Promise<Reservation | Refused>;
  /**
   * Replaces the reservation with the actual use, once, even if it is called again. Returns how many of the tool calls may be made. Never rejects. If
   * the store does not accept the settlement, the reservation stays, and a budget that limits tool calls then allows none.
   */
  settle(reservation: Reservation, used: StepUse): Promise<number>;
  /** Gives back the whole reservation, because nothing was used. Never rejects. */
  release(reservation: Reservation): Promise<void>;
}

export interface BudgetsOptions {
  readonly state: StateStore;
  readonly origins: Origins;
  readonly config: BudgetConfig;
  readonly profile: (name: string) => Profile | undefined;
  readonly factsOf: FactsOf;
  readonly log: Log;
}

const NOTHING_RESERVED: Reservation = { kind: "reserved", holds: [] };

export function budgets({ state, origins, config, profile, factsOf, log }: BudgetsOptions): Budgets {
  const windows: BudgetWindows = budgetWindows(state, measureUse);
  const settled = new WeakMap<Reservation, Promise<number>>();
  return {
    factsOf,
    limits(name) {
      const limits = budgetLimits(config, profile(name));
      return WHOSE.some((whose) => limits[whose] !== null);
    },
    async reserve(run, estimateOf, signal) {
      const limits = budgetLimits(config, profile(run.profile));
      if (WHOSE.every((whose) => limits[whose] === null)) return NOTHING_RESERVED;
      const estimate = estimateOf();
      const asksModel = estimate.promptTokens + estimate.maxTokens > 0;
      const limited = WHOSE.filter((whose) => (asksModel ? limits[whose] : (limits[whose]?.toolCalls ?? null)) !== null);
      if (limited.length === 0) return NOTHING_RESERVED;
      const amounts = amountsOf(estimate, limits);
      if (amounts === null) return unpriced(estimate);
      const origin = limits.principal || limits.tenant ? await origins.of(run.runId) : null;
      if (!origin && (limits.principal || limits.tenant)) return ownerless(run.runId);
      const name = `${run.runId}:${run.round}.${run.epoch}`;
      const takes = await Promise.allSettled(
        limited.map((whose) => takeOf({ whose, name, amounts, ceilings: limits[whose] ?? NO_CEILINGS, origin, run }, signal)),
      );
      const holds = takes.flatMap((take) => (take.status === "fulfilled" && take.value.kind === "taken" ? [take.value.hold] : []));
      if (holds.length === limited.length) return { kind: "reserved", holds };
      await release({ kind: "reserved", holds });
      const failed = takes.find((take) => take.status === "rejected");
      if (failed) throw failed.reason;
      return refusal(run, limited, takes, origin);
    },
    settle,
    release,
  };

  interface Wanted {
    readonly whose: Whose;
    readonly name: string;
    readonly amounts: Hold["amounts"];
    readonly ceilings: Ceilings;
    readonly origin: RunOrigin | null;
    readonly run: BudgetedRun;
  }

  /**
   * Reserves from the budget of the current day by the store's clock. The start of the step is a time of that clock, so its day is never in the
   * future.
   */
  async function takeOf(
    { whose, origin, run, name, amounts, ceilings }: Wanted,
    signal: AbortSignal,
  ): Promise<Taken & { place: WindowPlace }> {
    let now = run.stepStartedAt;
    for (;;) {
      const place = whose === "run" || !origin ? runPlace(run.runId, now) : dayPlace(whose, origin, now, state.shards);
      const taken = await windows.take({ place, name, amounts, ceilings }, signal);
      if (taken.kind !== "over") return { ...taken, place };
      now = taken.now;
    }
  }

  function settle(reservation: Reservation, used: StepUse): Promise<number> {
    if (reservation.holds.length === 0) return Promise.resolve(used.toolCalls);
    const before = settled.get(reservation);
    if (before) return before;
    const { usage, toolCalls } = used;
    const settling = Promise.all(
      reservation.holds.map(async (hold) => {
        const tokens = usage.inputTokens + usage.outputTokens;
        // The cost is unknown, so the reserved maximum stays.
        const microUsd = usage.unpricedCalls ? hold.amounts.microUsd : (usage.costMicroUsd ?? 0);
        return settleOne(hold, { tokens, microUsd, toolCalls });
      }),
    ).then((calls) => Math.min(...calls));
    settled.set(reservation, settling);
    return settling;
  }

  async function release(reservation: Reservation): Promise<void> {
    if (settled.has(reservation)) return;
    await settle(reservation, { usage: { inputTokens: 0, outputTokens: 0 }, toolCalls: 0 });
  }

  /** Settles one budget. Returns how many of the tool calls it has room for. */
  async function settleOne(hold: Hold, used: Hold["amounts"]): Promise<number> {
    try {
      const calls = await windows.settle(hold, used);
      if (calls !== null) return calls;
      log.warn({ budget: hold.place.id, reservation: hold.name }, "a reservation of a budget was gone when it was to be settled");
    } catch (error) {
      log.warn({ error, budget: hold.place.id, reservation: hold.name }, "a budget could not be settled; it stays counted as reserved");
    }
    return hold.ceilings.toolCalls === null ? used.toolCalls : 0;
  }

  function refusal(
    run: BudgetedRun,
    limited: readonly Whose[],
    takes: readonly PromiseSettledResult<Taken & { place: WindowPlace }>[],
    origin: RunOrigin | null,
  ): Refused {
    for (const [n, take] of takes.entries()) {
      const whose = limited[n];
      if (whose === undefined || take.status !== "fulfilled" || take.value.kind !== "full") continue;
      const { what, used, asked, ceiling, place } = take.value;
      measure(metricNames.budgetRefusals, 1, { [attributeNames.budgetOf]: whose, [attributeNames.budgetWhat]: WORDS[what] });
      const limit = limitNamed(whose, what, config, profile(run.profile));
      const opensAt = place.until === null ? null : dayEnd(place.until);
      return {
        kind: "refused",
        code: "budget_exhausted",
        message: exhaustedSentence({ whose, what, used, asked, ceiling, origin, opensAt, limit }),
      };
    }
    throw new Error(`No budget refused the step ${run.runId}:${run.round}.${run.epoch}, and not all were reserved.`);
  }

  /** Returns the most that the step can use. Returns null if money is limited and the model's price is unknown. */
  function amountsOf({ provider, model, promptTokens, maxTokens, toolCalls }: Estimate, limits: BudgetLimits): Hold["amounts"] | null {
    const tokens = promptTokens + maxTokens;
    const cost = tokens === 0 ? 0 : mostCost(promptTokens, maxTokens, factsOf(provider, model));
    if (cost === null && WHOSE.some((whose) => (limits[whose]?.microUsd ?? null) !== null)) return null;
    return { tokens, microUsd: cost ?? 0, toolCalls };
  }
}

const WHOSE: readonly Whose[] = ["run", "principal", "tenant"];
const NO_CEILINGS: Ceilings = { tokens: null, microUsd: null, toolCalls: null };
const WORDS: Readonly<Record<keyof Ceilings, string>> = { tokens: "tokens", microUsd: "money", toolCalls: "tool_calls" };

/** Measures which share of each ceiling is used, with the reservations of other steps. */
function measureUse({ place, ceilings }: Hold, window: Hold["amounts"]): void {
  for (const what of ["tokens", "microUsd", "toolCalls"] as const) {
    const ceiling = ceilings[what];
    if (ceiling !== null && ceiling > 0)
      measure(metricNames.budgetUse, window[what] / ceiling, {
        [attributeNames.budgetOf]: place.whose,
        [attributeNames.budgetWhat]: WORDS[what],
      });
  }
}

function unpriced({ provider, model }: Estimate): Refused {
  return {
    kind: "refused",
    code: "model_unpriced",
    message: `No price is known for the model "${model}" of ${provider}, and there is a budget of money: add the model to MODEL_TABLE_FILE, or remove the budget.`,
  };
}

function ownerless(runId: string): Refused {
  return {
    kind: "refused",
    code: "origin_unknown",
    message: `The requester of the run ${rootRunId(runId)} is no longer known, so its principal's budget cannot be drawn on: send the message again.`,
  };
}
