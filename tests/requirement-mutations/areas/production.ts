import type { Mutations } from "../mutation.ts";

/** For the rows F. */
export const productionMutations: Mutations = {
  "F-10": {
    breaks: "what a run has cost is not told apart by how it ended",
    patches: [
      {
        file: "services/agent/src/observe-run.ts",
        find: "measure(metricNames.runCost, costMicroUsd / 1_000_000, { ...status, [attributeNames.profile]",
        replace: "measure(metricNames.runCost, costMicroUsd / 1_000_000, { [attributeNames.profile]",
      },
    ],
  },
};
