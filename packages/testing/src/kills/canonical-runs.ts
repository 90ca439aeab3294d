import { quietPlan } from "../world/plan.ts";
import type { WorldPlan } from "../world/world-plan.ts";
import { AT_LENGTH } from "../world/target.ts";

/** A run without faults. It always has the same steps, so a test can kill a process at each step. */
export interface CanonicalRun {
  readonly name: string;
  readonly plan: WorldPlan;
}

export const canonicalRuns: readonly CanonicalRun[] = [
  {
    name: "read and write",
    plan: quietPlan("a read, and a write that one person approves", [
      [
        { name: "look_up", n: 1 },
        { name: "high_key", n: 2 },
      ],
    ]),
  },
  { name: "two approvers", plan: quietPlan("a write that two people approve", [[{ name: "critical_none", n: 3 }]]) },
  {
    name: "edited",
    plan: quietPlan("a write that one person approves with other arguments", [[{ name: "high_key", n: 2 }]], { edits: 1 }),
  },
  {
    name: "long results",
    plan: quietPlan("a read and a write with long answers, and a look into working memory", [
      [
        { name: "look_up", n: AT_LENGTH },
        { name: "low_key", n: AT_LENGTH },
      ],
      [{ name: "get_from_working_memory", n: 1 }],
    ]),
  },
  {
    name: "local tools",
    plan: locally(
      quietPlan("two reads at once, another read and a write, all in the agent's own process", [
        [
          { name: "look_up", n: 1 },
          { name: "add_up", n: 2 },
        ],
        [{ name: "look_up", n: 3 }],
        [{ name: "low_key", n: 4 }],
      ]),
    ),
  },
  {
    name: "cancel",
    plan: quietPlan(
      "a write that is running when the run is cancelled",
      [
        [
          { name: "look_up", n: 4 },
          { name: "medium_reconcile", n: 5 },
        ],
        [{ name: "high_none", n: 6 }],
      ],
      { cancels: 1, thinkMs: 500 },
    ),
  },
];

/** Returns the same world with agents that serve the toolset themselves, and a model that answers at once, so that results ride. */
function locally(plan: WorldPlan): WorldPlan {
  return { ...plan, settings: { ...plan.settings, localTools: true }, modelMs: { least: 1, most: 20 } };
}
