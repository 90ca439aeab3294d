import { defineConfig } from "vitest/config";

// Three projects in one run: `unit` in parallel; `servers` (real Redis, RabbitMQ and NATS) and `e2e` (child processes, ports, kills) one file after
// another, because two cores are all there is.
export default defineConfig({
  test: {
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
            "tests/fuzz/*.test.ts",
          ],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "servers",
          include: ["tests/servers/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      { test: { name: "e2e", include: ["tests/e2e/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 60_000, fileParallelism: false } },
    ],
  },
});
