import type { Mutations } from "../mutation.ts";

/** The mutations of the rows R. */
export const retryMutations: Mutations = {
  "R-03": {
    breaks: "every attempt at a model call claims to be the first",
    patches: [
      {
        file: "services/agent/src/steps/step-span.ts",
        find: "[attributeNames.attempt]: (modelFailures?.count ?? 0) + 1,",
        replace: "[attributeNames.attempt]: Math.min(1, (modelFailures?.count ?? 0) + 1),",
      },
    ],
  },
  "R-01": {
    breaks: "the wait between attempts does not grow",
    patches: [
      {
        file: "services/agent/src/transitions/model-retry.ts",
        find: "policy.initialMs * 2 ** before",
        replace: "policy.initialMs * 1 ** before",
      },
    ],
  },
  "R-02": {
    breaks: "a model that does not answer in time is not asked again",
    patches: [
      {
        file: "services/agent/src/steps/failed-step.ts",
        find: "message: `The model did not answer within ${seconds} s.`, retryable: true,",
        replace: "message: `The model did not answer within ${seconds} s.`, retryable: false,",
      },
    ],
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
  },
  "R-04": {
    breaks: "one adapter ignores how long its vendor asks to wait",
    patches: [
      {
        file: "packages/models/src/openai/vendor-error.ts",
        find: "accepts no more requests or tokens for now ${where}${quote}.`, wait);",
        replace: "accepts no more requests or tokens for now ${where}${quote}.`, null);",
      },
    ],
    runs: "packages/models/src/openai/openai-model.test.ts",
  },
};
