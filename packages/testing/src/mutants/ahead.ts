import type { Mutant } from "./mutant.ts";

/** Mutants of what a process does ahead of its commits, and of the calls that it makes itself (decision 0119). */
export const ahead: readonly Mutant[] = [
  {
    name: "a pending result lost with a stale commit",
    breaks: "the store refuses a commit with results that ride, and nobody joins them again",
    within: 600,
    variant: "local-tools",
    patches: [{ file: "services/agent/src/steps/advance.ts", find: "  if (!turn) await ahead.again();", replace: "" }],
  },
  {
    name: "memory used after another replica's commit",
    breaks: "a process shows the model the transcript that it knows, whoever has continued the run since",
    within: 1000,
    patches: [
      {
        file: "services/agent/src/steps/transcripts.ts",
        find: "return known && complete?.version === version && monotonic() - complete.at <= COMPLETE_FOR_MS ? windowOf(known) : null;",
        replace: "return known && complete && version !== 0 ? windowOf(known) : null;",
      },
    ],
  },
  {
    name: "a local call that outlives its end",
    breaks: "the result of a local call is joined although its call has ended in another way",
    within: 1000,
    patches: [
      {
        file: "services/agent/src/transitions/join.ts",
        find: `if (call.state === "resolved")`,
        replace: `if (call.state === "resolved" && answer.secretHash !== null)`,
      },
    ],
  },
  {
    name: "a step ahead of its budget",
    breaks: "a step that a budget limits begins before its commit, so a later step with the same epoch is paid by its reservation",
    within: 1000,
    patches: [
      {
        file: "services/agent/src/steps/advance.ts",
        find: "if (!budgets.limits(run.profile)) return ahead;",
        replace: "if (!budgets.limits(run.profile) || run.epoch > 0) return ahead;",
      },
    ],
  },
];
