import type { TestMutant } from "./test-mutant.ts";

const CRASHED = "packages/tool-kit/src/calls/crashed-calls.test.ts";

/** Mutants of the checks for calls that crash their workers (decision 0070). */
export const crashMutants: readonly TestMutant[] = [
  {
    name: "one worker is enough",
    breaks: "a call is given up when a single worker died while it ran, which may have had any cause",
    patches: [
      {
        file: "packages/tool-kit/src/calls/crash-mark.ts",
        find: "export const ENOUGH_DEATHS = 2;",
        replace: "export const ENOUGH_DEATHS = 1;",
      },
    ],
    tests: [CRASHED],
  },
  {
    name: "blamed for what ran beside it",
    breaks: "a call is given up although another one in the same worker may have killed it",
    patches: [
      {
        file: "packages/tool-kit/src/calls/crash-mark.ts",
        find: "return (mark.alone && deaths >= ENOUGH_DEATHS)",
        replace: "return deaths >= ENOUGH_DEATHS",
      },
    ],
    tests: [CRASHED],
  },
  {
    name: "takes the next worker down as well",
    breaks: "a call whose workers died is run again",
    patches: [
      {
        file: "packages/tool-kit/src/calls/crash-mark.ts",
        find: '|| deaths >= MOST_DEATHS ? { kind: "quarantined", deaths }',
        replace: '|| deaths >= MOST_DEATHS ? { kind: "run", deaths }',
      },
    ],
    tests: [CRASHED],
  },
  {
    name: "a dangerous call has company",
    breaks: "other calls begin beside one that may take the worker down",
    patches: [
      {
        file: "packages/tool-kit/src/calls/shared-lane.ts",
        find: "async function enter(stopped: AbortSignal): Promise<Place> {\n    while (closed && !stopped.aborted)",
        replace: "async function enter(stopped: AbortSignal): Promise<Place> {\n    if (inside < 0 && closed && !stopped.aborted)",
      },
    ],
    tests: [CRASHED],
  },
];
