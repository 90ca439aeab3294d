import type { TestMutant } from "./test-mutant.ts";

/** Mutants of the checks for plans of writes (decision 0095). */
export const planMutants: readonly TestMutant[] = [
  {
    name: "drift ignored",
    breaks: "a worker executes an approved write although its target has changed since",
    patches: [
      {
        file: "packages/tool-kit/src/writes/check-plan.ts",
        find: "if (made.hash === approved.hash) return SAME_PLAN;",
        replace: "if (made.hash !== approved.round.toString()) return SAME_PLAN;",
      },
    ],
    tests: ["packages/tool-kit/src/writes/plan-write.test.ts"],
  },
  {
    name: "an approval of another plan counts",
    breaks: "who approved what the write would have changed before also counts for what it would change now",
    patches: [
      {
        file: "services/approvals/src/machine/planned.ts",
        find: "plan.round === currentPlan(planned)?.round",
        replace: "plan.round > 0",
      },
    ],
    tests: ["services/approvals/src/requests/plans.test.ts"],
  },
];
