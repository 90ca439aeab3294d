import type { Call, Run } from "@toolbus/contracts";
import { type Facts, familyOf } from "../invariants/facts.ts";
import type { FaultName, Faults } from "../ports/faults.ts";
import type { WorldPlan } from "../world/world-plan.ts";

export interface Explanation {
  /** The faults that were injected in this world. */
  readonly injected: Faults["injected"];
  readonly plan: Pick<WorldPlan, "habits" | "requests"> & { readonly settings: Pick<WorldPlan["settings"], "agent"> };
}

/** Faults that delay a step or prevent its commit. */
const DELAYS: readonly FaultName[] = [
  "kill",
  "pause",
  "stop",
  "lost_request",
  "lost_reply",
  "lost_message",
  "late_message",
  "slow_model",
  "slow_target",
  "outage",
];

/**
 * Somebody who may publish in the name of approvals can give a call a grant that no worker accepts. The agent then sends the call again until the
 * run's time is over.
 */
const TAKEN_FOR_APPROVALS: readonly FaultName[] = ["forged", "replayed"];

/** The faults that make a model call fail. */
const UNANSWERED: readonly FaultName[] = ["failing_model", "slow_model", "lost_request", "lost_reply"];

/** The codes with which a run may end other than done. Each has a check of what must have happened in its world. Any other code is never expected. */
const EXPLAINED: Readonly<Record<string, (world: Explanation, run: Run) => boolean>> = {
  cancelled: ({ plan }) => plan.habits.cancels > 0 || plan.requests.some(({ messages }) => messages > 1),
  conversation_busy: ({ plan }) => plan.requests.some(({ messages }) => messages > 1),
  provider_failed: ({ injected }) => sum(injected, UNANSWERED) > 0,
  network_failed: ({ injected }) => sum(injected, ["lost_request", "lost_reply"]) > 0,
  model_timeout: ({ injected }) => injected.slow_model > 0,
  time_limit: ({ injected }) => sum(injected, [...DELAYS, ...TAKEN_FOR_APPROVALS]) > 0,
  // The check at the end of the run decides whether the end was necessary.
  budget_exhausted: ({ plan }) => Object.entries(plan.settings.agent).some(([name, value]) => name.startsWith("BUDGET_") && value !== 0),
  // A random model rarely asks for the same thing three times, or for something that fails each time. The run's own counters show whether it did.
  loop: (_, { repeats, fruitless }) => repeats.count >= SAME || fruitless >= FRUITLESS,
  // The agent begins a round ten times before it gives up, so at least as many delays must have happened.
  poison_run: ({ injected }) => sum(injected, DELAYS) >= ATTEMPTS,
  step_failed: ({ injected }) => sum(injected, DELAYS) >= ATTEMPTS,
};
const ATTEMPTS = 10;
const SAME = 3;
const FRUITLESS = 5;

/** Returns the runs whose end nothing in their world explains. */
export function unexplainedEnds(facts: Facts, world: Explanation): readonly string[] {
  return [...facts.documents]
    .filter(([key]) => familyOf(key) === "run")
    .flatMap(([, value]) => {
      const run = value as unknown as Run;
      const { runId, status, ending } = run;
      if (status !== "failed" && status !== "cancelled") return [];
      const code = ending?.code ?? "no code";
      return EXPLAINED[code]?.(world, run)
        ? []
        : [`progress: the run ${runId} ended as ${status} with ${code}, which nothing in this world explains`];
    });
}

/** Returns the calls that workers gave up as too dangerous although fewer than two processes died. */
export function unexplainedCrashes(facts: Facts, { injected }: Explanation): readonly string[] {
  return [...facts.documents]
    .filter(([key]) => familyOf(key) === "call")
    .map(([, value]) => value as unknown as Call)
    .filter(({ result }) => result?.error?.code === "worker_crashed" && sum(injected, ["kill", "stop"]) < 2)
    .map(({ callId }) => `progress: the call ${callId} was given up as one that takes workers down, and none went down with it`);
}

function sum(injected: Explanation["injected"], names: readonly FaultName[]): number {
  return names.reduce((count, name) => count + injected[name], 0);
}
