import type { Mutations } from "../mutation.ts";

/** The mutations of the rows E. */
export const errorsMutations: Mutations = {
  "E-01": {
    breaks: "a viewer of a run sees nothing of a call's error",
    patches: [
      {
        file: "services/agent/src/transitions/end-call.ts",
        find: "content: result.content.slice(0, EVENT_CONTENT_CHARS),",
        replace: 'content: result.isError ? "" : result.content.slice(0, EVENT_CONTENT_CHARS),',
      },
    ],
  },
  "E-02": {
    breaks: "a refusal by scope or policy is not marked as one: only a person's denial is",
    patches: [
      {
        file: "packages/contracts/src/result.ts",
        find: '...(errorClass === "ToolPolicyError" ? { reason',
        replace: '...(code === "denied_by_user" ? { reason',
      },
    ],
  },
  "E-03": {
    breaks: "a target that breaks the connection counts as a broken tool",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/release/release-api.ts",
        find: 'return toolError("unavailable", `The release API ${why}.`, {',
        replace: 'return toolError(answer.kind === "answered" ? "unavailable" : "execution_failed", `The release API ${why}.`, {',
      },
    ],
  },
  "E-04": {
    breaks: "a broken tool counts as a target that is briefly unavailable",
    patches: [
      {
        file: "packages/tool-kit/src/tool/tool-problem.ts",
        find: 'return failedResult("execution_failed", says);',
        replace: 'return failedResult("unavailable", says);',
      },
    ],
  },
  "E-05": {
    breaks: "every failure travels under the same wire code",
    patches: [
      {
        file: "packages/tool-kit/src/calls/result-message.ts",
        find: "code: errorRow(error.code).wireCode,",
        replace: 'code: "ExecutionFailed",',
      },
    ],
  },
  "E-06": {
    breaks: "the log has the class of an error instead of its name",
    patches: [
      {
        file: "packages/tool-kit/src/calls/invoke-pipeline.ts",
        find: "errorName: errorRow(error.code).name",
        replace: "errorName: error.class",
      },
    ],
  },
  "E-07": {
    breaks: "a key that may not use the model is reported as an invalid request",
    patches: [
      {
        file: "packages/models/src/adapter/status-error.ts",
        find: "if (status === 403)\n    return new AuthenticationError(",
        replace: "if (status === 403)\n    return new ValidationError(",
      },
    ],
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
  },
  "E-08": {
    breaks: "the record of a call knows ok and error, and nothing between",
    patches: [
      {
        file: "packages/tool-kit/src/calls/invoke-pipeline.ts",
        find: "return { callId, status, ...(error",
        replace: 'return { callId, status: error === undefined ? status : "error", ...(error',
      },
    ],
  },
  "E-09": {
    breaks: "the model does not learn what kind of error it was",
    patches: [
      {
        file: "packages/contracts/src/result.ts",
        find: "    class: errorClass,\n    ...(errorClass",
        replace: "    ...(errorClass",
      },
    ],
  },
  "E-10": {
    breaks: "a refused request first counts as a fault of the transcript",
    patches: [
      {
        file: "packages/models/src/adapter/status-error.ts",
        find: 'return "look at a tool\'s schema first, and at the transcript second";',
        replace: 'return "look at the transcript first, and at a tool\'s schema second";',
      },
    ],
    runs: "packages/models/src/anthropic/anthropic-model.test.ts",
  },
  "E-11": {
    breaks: "a provider's failure is reported without a remedy",
    patches: [
      {
        file: "services/agent/src/transitions/model-retry.ts",
        find: "return { code, message: message.slice(0, 1000), retryable",
        replace: "return { code, message: `The model call failed (${message.length}).`, retryable",
      },
    ],
  },
  "E-12": {
    breaks: "rounds without a successful call are not counted",
    patches: [
      {
        file: "services/agent/src/transitions/finish-round.ts",
        find: "? 0 : draft.run.fruitless + 1,",
        replace: "? 0 : Math.min(1, draft.run.fruitless + 1),",
      },
    ],
  },
};
