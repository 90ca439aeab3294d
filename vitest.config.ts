import { hash } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";

// `npm test` alone is the short form and leaves out the files below. `LONG_PROOFS=1 npm test` includes them, and so does CI with `LONG_PROOFS=ci`. If
// you name a project or a file, all of it runs. The short form also leaves out the benchmarks, `under-load` and `outside`, unless you name them.
const named = process.argv.slice(2).filter((argument) => argument !== "run" && !argument.startsWith("-"));
const isLong = process.env["LONG_PROOFS"] !== undefined;
const isShort = !isLong && named.length === 0;
const isAskedFor = (part: string): boolean => isLong || named.some((argument) => argument.includes(part));
// CI has a step of its own for what these tests do, and little time for the benchmarks.
const isCi = process.env["LONG_PROOFS"] === "ci";
const STEPS_OF_CI = [
  "packages/testing/src/seeds/seeds.test.ts",
  "packages/testing/src/command/simulate.test.ts",
  "tests/e2e/redteam.test.ts",
  "tests/e2e/pages.test.ts",
];
const BENCHMARKS = "bench/src/*/*.test.ts";
// Each of these takes at least half a minute of two cores: the simulator's own seeds (also in `npm run simulate`), a thousand hostile schemas, messages
// that nobody can read, at every consumer, and a RabbitMQ that starts repeatedly.
const LEFT_OUT = [
  "packages/testing/src/seeds/seeds.test.ts",
  "packages/testing/src/command/simulate.test.ts",
  "tests/fuzz/hostile-schemas.test.ts",
  "tests/servers/amqp-outages.test.ts",
  "tests/servers/bad-messages.test.ts",
  "tests/servers/permissions.test.ts",
  "tests/servers/find-servers.test.ts",
  "tests/servers/private-servers.test.ts",
];
// Tests of whole systems take the longest. These cover the whole product once: the tutorial, the first start, a kill of all processes, writes,
// approvals, both brokers, a slow model.
const QUICK_SYSTEMS = ["tutorial/tutorial", "start", "either-broker", "cli-writes", "webhooks", "slow-model", "attack", "tool-author"];
// These tests begin runs while processes restart, some of them at a steady pace. A machine that does other work cannot keep that pace.
const UNDER_LOAD = ["apart", "key-rotation", "decision-restarts"].map((name) => `tests/e2e/apart/${name}.test.ts`);
const quick = QUICK_SYSTEMS.map((name) => `tests/e2e/${name}.test.ts`);
// CI runs these in each commit, and the third of the others that this text selects, because all of them take an hour on a slow machine.
const third = process.env["TEST_THIRD"];
const systems = isShort
  ? quick
  : third !== undefined && isCi && named.length === 0
    ? [...quick, ...otherSystems(third)]
    : ["tests/e2e/**/*.test.ts"];
const leftOut = isShort ? LEFT_OUT : isCi && named.length === 0 ? STEPS_OF_CI : [];

// The benchmarks and `outside` are separate projects. The other projects are `unit`, `fuzz`, `servers`, `e2e` and `under-load`. `servers` uses real
// Redis, RabbitMQ and NATS. Shared servers have a namespace for each test file, and private ones use free ports. `e2e` uses child processes, ports
// and kills. Files run in parallel, because `servers` and `e2e` mostly wait. The files of `unit` share the modules of their worker. The worker reads
// these once instead of three hundred times, which halves the time. Tests that watch their whole process are in other projects. `under-load` and
// `outside` run last, one file at a time, because they keep a pace, fill queues and memory, and measure how long others wait.
export default defineConfig({
  test: {
    // This is one more than the cores of the smallest machine, because half of the tests wait for a server or a process.
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
            "tests/kubernetes/*.test.ts",
            "tests/requirement-mutations/*.test.ts",
          ],
          exclude: [BENCHMARKS, ...leftOut],
          isolate: false,
          testTimeout: 30_000,
        },
      },
      ...(isAskedFor("bench") && !(isCi && named.length === 0)
        ? [{ test: { name: "bench", include: [BENCHMARKS], testTimeout: 60_000 } }]
        : []),
      { test: { name: "fuzz", include: ["tests/fuzz/*.test.ts"], exclude: leftOut, testTimeout: 30_000 } },
      { test: { name: "servers", include: ["tests/servers/**/*.test.ts"], exclude: leftOut, testTimeout: 60_000, hookTimeout: 120_000 } },
      {
        test: {
          name: "e2e",
          include: systems,
          exclude: [...UNDER_LOAD, ...leftOut],
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

/** Returns the third of the tests of whole systems that a text selects, without the quick ones. The same text always selects the same ones. */
function otherSystems(text: string): readonly string[] {
  const files = readdirSync("tests/e2e", { recursive: true, encoding: "utf8" }).map((name) => path.posix.join("tests/e2e", name));
  const others = files.filter((file) => file.endsWith(".test.ts") && !quick.includes(file));
  const place = (file: string): string => hash("sha256", `${text} ${file}`);
  return others.toSorted((one, other) => place(one).localeCompare(place(other))).slice(0, Math.ceil(others.length / 3));
}
