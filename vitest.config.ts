import { defineConfig } from "vitest/config";

// `npm test` alone is the short form: it leaves out the files below. `LONG_PROOFS=1 npm test`, which CI runs, takes everything, and whoever names a project or a file gets the
// whole of it. Benchmarks and `outside` have to be named themselves.
const named = process.argv.slice(2).filter((argument) => argument !== "run" && !argument.startsWith("-"));
const isLong = process.env["LONG_PROOFS"] !== undefined;
const isShort = !isLong && named.length === 0;
const isAskedFor = (part: string): boolean => isLong || named.some((argument) => argument.includes(part));
const BENCHMARKS = "bench/src/*/*.test.ts";
// Each takes half a minute or more of two cores: the simulator's own seeds (`npm run simulate` runs them too), a thousand hostile schemas, a RabbitMQ that is started again and again.
const LEFT_OUT = [
  "packages/testing/src/seeds/seeds.test.ts",
  "packages/testing/src/command/simulate.test.ts",
  "tests/fuzz/hostile-schemas.test.ts",
  "tests/servers/amqp-outages.test.ts",
  "tests/servers/permissions.test.ts",
  "tests/servers/find-servers.test.ts",
  "tests/servers/private-servers.test.ts",
];
// Whole systems cost the most. These go once through all of the product: the tutorial, the first start, a kill of all, writes, approvals, both brokers, a slow model.
const QUICK_SYSTEMS = [
  "tutorial/tutorial",
  "start",
  "either-broker",
  "cli-writes",
  "cli-two-approvers",
  "webhooks",
  "slow-model",
  "attack",
  "tool-author",
];
// They begin runs at a steady pace while processes are restarted, which no machine keeps that also does something else.
const UNDER_LOAD = ["tests/e2e/apart/apart.test.ts", "tests/e2e/apart/key-rotation.test.ts"];
const systems = isShort ? QUICK_SYSTEMS.map((name) => `tests/e2e/${name}.test.ts`) : ["tests/e2e/**/*.test.ts"];
const leftOut = isShort ? LEFT_OUT : [];

// Four projects in one run, the benchmarks, and `outside`: `unit`; `fuzz`; `servers` on real Redis, RabbitMQ and NATS, shared ones by a namespace for each test file, private ones on
// free ports; `e2e` with child processes, ports and kills. Files run side by side: most of what the last two do is wait. The files of `unit` share the
// modules of their worker, which are read once instead of three hundred times: half of its time. What watches its whole process stands apart. `under-load` and `outside`
// come after everything else, one file at a time: they keep a pace, fill queues and memory, and say how long others wait meanwhile.
export default defineConfig({
  test: {
    // One more than the least machine has cores: half of what runs waits for a server or a process.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "packages/*/src/**/*.test.ts",
            "services/*/src/**/*.test.ts",
            "apps/*/src/**/*.test.ts",
            "examples/*/src/**/*.test.ts",
            "bench/src/**/*.test.ts",
            "tests/*.test.ts",
            "tests/requirement-mutations/*.test.ts",
          ],
          exclude: [BENCHMARKS, ...leftOut],
          isolate: false,
          testTimeout: 30_000,
        },
      },
      ...(isAskedFor("bench") ? [{ test: { name: "bench", include: [BENCHMARKS], testTimeout: 60_000 } }] : []),
      { test: { name: "fuzz", include: ["tests/fuzz/*.test.ts"], exclude: leftOut, testTimeout: 30_000 } },
      { test: { name: "servers", include: ["tests/servers/**/*.test.ts"], exclude: leftOut, testTimeout: 60_000, hookTimeout: 120_000 } },
      {
        test: {
          name: "e2e",
          include: systems,
          exclude: UNDER_LOAD,
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      ...(isShort
        ? []
        : [
            {
              test: {
                name: "under-load",
                include: UNDER_LOAD,
                testTimeout: 600_000,
                hookTimeout: 120_000,
                maxWorkers: 1,
                sequence: { groupOrder: 1 },
              },
            },
          ]),
      ...(isAskedFor("outside")
        ? [
            {
              test: {
                name: "outside",
                include: ["tests/outside/*.test.ts"],
                testTimeout: 600_000,
                hookTimeout: 120_000,
                maxWorkers: 1,
                sequence: { groupOrder: 1 },
              },
            },
          ]
        : []),
    ],
  },
});
