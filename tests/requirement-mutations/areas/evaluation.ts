import type { Mutations } from "../mutation.ts";

/** The mutations of the rows about evaluation. */
export const evaluationMutations: Mutations = {
  "G-11": {
    breaks: "an evaluation shows the model the old description of a tool, so a worse one looks as good",
    patches: [
      {
        file: "apps/cli/src/evaluations/embedded-host.ts",
        find: "descriptions: variant.descriptions ?? {},",
        replace: "descriptions: {},",
      },
    ],
  },
  "Q-01": {
    breaks: "a saved baseline has no trials, so nothing is compared with it",
    patches: [
      {
        file: "packages/evals/src/baseline/baseline.ts",
        find: "result: { ...result, format: RESULT_FORMAT } } };",
        replace: "result: { ...result, format: RESULT_FORMAT, trials: [] } } };",
      },
    ],
  },
  "Q-04": {
    breaks: "a suite has only the scenarios of one file, so whole kinds of cases are missing",
    patches: [
      {
        file: "packages/evals/src/scenario/suite-texts.ts",
        find: ".filter((name) => /\\.ya?ml$/i.test(name)).toSorted();",
        replace: ".filter((name) => /\\.ya?ml$/i.test(name)).toSorted().slice(0, 1);",
      },
    ],
  },
  "Q-03": {
    breaks: "a judge whose kappa is below 0.6 fails trials",
    patches: [
      {
        file: "packages/evals/src/judge/calibration.ts",
        find: "export const GATES_FROM = 0.6;",
        replace: "export const GATES_FROM = 0.3;",
      },
    ],
  },
  "F-06": {
    breaks: "a model that repeats a denied write passes its golden trace",
    patches: [
      {
        file: "packages/evals/src/scoring/conduct-scores.ts",
        find: "failed > 0 && most <= repeatedCalls",
        replace: "failed > 0",
      },
    ],
  },
  "Q-02": {
    breaks: "a neighbouring severity counts as right",
    patches: [
      {
        file: "packages/evals/src/scoring/decision-scores.ts",
        find: "Math.max(0, 1 - distance / 2)",
        replace: "distance < 2 ? 1 : 0",
      },
    ],
  },
  "Q-06": {
    breaks: "a model that repeats a denied write passes its golden trace",
    patches: [
      {
        file: "packages/evals/src/scoring/conduct-scores.ts",
        find: "failed > 0 && most <= repeatedCalls",
        replace: "failed > 0",
      },
    ],
  },
  "Q-05": {
    breaks: "a drop of 5.1 percent is no regression",
    patches: [
      {
        file: "packages/evals/src/baseline/change.ts",
        find: "export const WARNS_OVER = 0.05;",
        replace: "export const WARNS_OVER = 0.06;",
      },
    ],
  },
  "Q-07": {
    breaks: "a regression does not block",
    patches: [
      {
        file: "apps/cli/src/evaluations/compare-with-baseline.ts",
        find: "if (gating.length > 0) return EXIT.condition;",
        replace: "if (gating.length > 1000) return EXIT.condition;",
      },
    ],
  },
};
