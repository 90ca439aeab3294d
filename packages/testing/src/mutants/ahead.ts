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
        find: "return known && complete?.version === version && monotonic() - complete.at <= COMPLETE_FOR_MS ? known : null;",
        replace: "return known && complete && version !== 0 ? known : null;",
      },
    ],
  },
  {
    name: "a result that names another entry",
    breaks: "an event names the entry after the one that has its result, so a viewer is shown something else",
    within: 100,
    patches: [{ file: "services/agent/src/transitions/stored-once.ts", find: "sequence: last + n + 1", replace: "sequence: last + n + 2" }],
  },
  {
    name: "an entry counted from another version",
    breaks: "the agent counts the entries of a transcript that another replica has extended since",
    within: 1000,
    patches: [
      {
        file: "services/agent/src/steps/transcripts.ts",
        find: `      const known = knownAt(conversationId, version);
      return known && (known.last?.sequence ?? 0);`,
        replace: `      const known = version === 0 ? null : (kept.get(conversationId) ?? null);
      return known && (known.last?.sequence ?? 0);`,
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
