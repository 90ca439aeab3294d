import { defineConfig } from "vitest/config";

// Two projects in one run: `unit` in parallel, `e2e` (child processes, ports, kills) one file after another, because two cores are all there is.
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
          ],
          testTimeout: 30_000,
        },
      },
      { test: { name: "e2e", include: ["tests/e2e/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 60_000, fileParallelism: false } },
    ],
  },
});
