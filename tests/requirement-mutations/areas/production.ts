import type { Mutations } from "../mutation.ts";

/** The mutations of the rows F. */
export const productionMutations: Mutations = {
  "F-10": {
    breaks: "the cost of a run is not recorded by how it ended",
    patches: [
      {
        file: "services/agent/src/observe-run.ts",
        find: "measure(metricNames.runCost, costMicroUsd / 1_000_000, { ...status, [attributeNames.profile]",
        replace: "measure(metricNames.runCost, costMicroUsd / 1_000_000, { [attributeNames.profile]",
      },
    ],
  },
};
