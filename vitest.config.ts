import { defineConfig } from "vitest/config";

// What takes a benchmark through all its rows, in small, what floods whole systems, the rotation of keys, every command with --json and the servers of the tests
// are part of a longer run; `bench`, `outside`, or a name below in the arguments asks for one of them.
const isAskedFor = (part: string): boolean =>
  process.env["LONG_PROOFS"] !== undefined || process.argv.slice(2).some((argument) => argument.includes(part));
const BENCHMARKS = "bench/src/*/*.test.ts";
// The first starts every process of a system three times, the second and third every command of the command line, the fourth a system for each setting that is wrong; two drive
// a browser; one waits for heartbeats of whole systems; the last two try the servers that tests start for themselves, a RabbitMQ six times.
const LONGER = {
  "key-rotation": "tests/e2e/apart/key-rotation.test.ts",
  "cli-json": "tests/e2e/cli-json.test.ts",
  "cli-help": "tests/e2e/cli-help.test.ts",
  "model-configuration": "tests/e2e/model-configuration.test.ts",
  "browser.test": "tests/e2e/browser.test.ts",
  "chat-page": "tests/e2e/chat-page.test.ts",
  "doctor/fresh": "tests/e2e/doctor/fresh.test.ts",
  "find-servers": "tests/servers/find-servers.test.ts",
  "private-servers": "tests/servers/private-servers.test.ts",
};
const leftOut = Object.entries(LONGER).flatMap(([name, file]) => (isAskedFor(name) ? [] : [file]));

// Four projects in one run, the benchmarks, and `outside`: `unit`; `fuzz`; `servers` on real Redis, RabbitMQ and NATS, shared ones by a namespace for each test file, private ones on
// free ports; `e2e` with child processes, ports and kills. Files run side by side: most of what the last two do is wait. The files of `unit` share the
// modules of their worker, which are read once instead of three hundred times: half of its time. What watches its whole process stands apart. `outside` comes after
// everything else, one file at a time: it fills queues and memory, and says how long others wait meanwhile.
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
          exclude: [BENCHMARKS],
          isolate: false,
          testTimeout: 30_000,
        },
      },
      ...(isAskedFor("bench") ? [{ test: { name: "bench", include: [BENCHMARKS], testTimeout: 60_000 } }] : []),
      { test: { name: "fuzz", include: ["tests/fuzz/*.test.ts"], testTimeout: 30_000 } },
      { test: { name: "servers", include: ["tests/servers/**/*.test.ts"], exclude: leftOut, testTimeout: 60_000, hookTimeout: 120_000 } },
      {
        test: {
          name: "e2e",
          include: ["tests/e2e/**/*.test.ts"],
          exclude: leftOut,
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
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
