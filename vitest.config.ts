import { defineConfig } from "vitest/config";

// What takes a benchmark through all its rows, in small, is part of a longer run; `bench` in the arguments asks for it, too.
const benchmarks = process.env["LONG_PROOFS"] !== undefined || process.argv.slice(2).some((argument) => argument.includes("bench"));
const BENCHMARKS = "bench/src/*/*.test.ts";

// Four projects in one run, and the benchmarks: `unit`; `fuzz`; `servers` on real Redis, RabbitMQ and NATS, shared ones by a namespace for each test file, private ones on
// free ports; `e2e` with child processes, ports and kills. Files run side by side: most of what the last two do is wait. The files of `unit` share the
// modules of their worker, which are read once instead of three hundred times: half of its time. What watches its whole process stands apart.
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
          ],
          exclude: [BENCHMARKS],
          isolate: false,
          testTimeout: 30_000,
        },
      },
      ...(benchmarks ? [{ test: { name: "bench", include: [BENCHMARKS], testTimeout: 60_000 } }] : []),
      { test: { name: "fuzz", include: ["tests/fuzz/*.test.ts"], testTimeout: 30_000 } },
      { test: { name: "servers", include: ["tests/servers/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 120_000 } },
      { test: { name: "e2e", include: ["tests/e2e/**/*.test.ts"], testTimeout: 600_000, hookTimeout: 120_000 } },
    ],
  },
});
