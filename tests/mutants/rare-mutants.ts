import type { TestMutant } from "./test-mutant.ts";

/** Mutants that the simulator shows in less than one of thousands of seeds. Tests that build the situation catch them. */
export const rareMutants: readonly TestMutant[] = [
  {
    name: "another message takes a live lease",
    breaks: "a redelivery of any message takes a write from the worker that still holds it",
    patches: [{ file: "packages/tool-kit/src/writes/ledger.ts", find: "(redelivered && lease.by === by)", replace: "redelivered" }],
    tests: ["packages/tool-kit/src/writes/write-race.test.ts"],
  },
  {
    name: "an answer committed in two rounds",
    breaks: "a step that missed its own commit finds the run ready again, and commits the model's answer once more",
    patches: [{ file: "services/agent/src/transitions/holds.ts", find: " && run.lease !== null;", replace: ";" }],
    tests: ["services/agent/src/steps/advance.test.ts"],
  },
];
