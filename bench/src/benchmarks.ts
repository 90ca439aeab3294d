import type { Benchmark } from "./benchmark.ts";

/** Every benchmark; each is loaded when it runs. */
export const benchmarks: readonly Benchmark[] = [
  {
    name: "embedded",
    summary: "Everything in one process, against the same work without Toolbus. The ratios count; the other figures depend on the machine.",
    run: async (conditions) => (await import("./embedded/embedded.ts")).embedded(conditions),
  },
];
