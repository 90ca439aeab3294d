import type { Mutant } from "./mutant.ts";

/** Mutants of the protections of a write whose plan people approve (decision 0095). */
export const plans: readonly Mutant[] = [
  {
    name: "changed target ignored",
    breaks: "a worker executes an approved write although its target has changed since",
    within: 1000,
    patches: [
      {
        file: "packages/tool-kit/src/writes/check-plan.ts",
        find: "if (made.hash === approved.hash) return SAME_PLAN;",
        replace: "if (made.hash !== approved.round.toString()) return SAME_PLAN;",
      },
    ],
  },
  {
    name: "earlier plan counts",
    breaks: "who approved what the write would have changed before also counts for what it would change now",
    within: 300,
    variant: "changing-targets",
    patches: [
      {
        file: "services/approvals/src/machine/planned.ts",
        find: "plan.round === currentPlan(planned)?.round",
        replace: "plan.round > 0",
      },
    ],
  },
  {
    name: "changed target not recorded",
    breaks: "a worker tells approvals that the target has changed, and its ledger accepts the earlier grant again",
    within: 1000,
    patches: [
      {
        file: "packages/tool-kit/src/writes/ledger.ts",
        find: "return { ...row, lease: null, planRound: Math.max(round + 1, row.planRound ?? 0) };",
        replace: "return round > 0 ? { ...row, lease: null } : row;",
      },
    ],
  },
  {
    name: "unsigned plan shown",
    breaks: "a card shows a plan that an attacker on the bus has changed",
    within: 1000,
    variant: "changing-targets",
    patches: [{ file: "packages/grants/src/plan-proof.ts", find: '  "planHash",\n', replace: "" }],
  },
  {
    name: "earlier answer sent",
    breaks: "approvals publishes a decision that does not count any more, because the target has changed since",
    within: 300,
    variant: "changing-targets",
    patches: [
      {
        file: "services/approvals/src/answers/answers.ts",
        find: `if (row.answer === "decided" && approval.status === "pending") return null;`,
        replace: "",
      },
    ],
  },
  {
    name: "renewal reported as a decision",
    breaks: "a fresh grant for a decision that the agent knows counts as another decision",
    within: 1000,
    patches: [
      {
        file: "services/agent/src/transitions/decided.ts",
        find: ": isOfLaterPlan(grant, call.grant);",
        replace: ": grant.length > 0;",
      },
    ],
  },
];
