import type { Benchmark, Results } from "./benchmark.ts";
import type { Row } from "./row.ts";
import { tableOf } from "./table.ts";

/** Every benchmark; each is loaded when it runs. */
export const benchmarks: readonly Benchmark[] = [
  {
    name: "embedded",
    summary: "Everything in one process, against the same work without Toolbus. The ratios count; the other figures depend on the machine.",
    run: async (conditions) => paired(await (await import("./embedded/embedded.ts")).embedded(conditions)),
  },
  {
    name: "http",
    summary: "The gateway's HTTP side, against the same routes on bare Fastify. The ratios count; the other figures depend on the machine.",
    run: async (conditions) => paired(await (await import("./http/http.ts")).http(conditions)),
  },
  {
    name: "streams",
    summary: "Many readers of one run at a gateway of its own, with and without others that are slow or never read. Compare the lines.",
    run: async (conditions) => (await import("./streams/streams.ts")).streams(conditions),
  },
  {
    name: "telemetry",
    summary: "Calls with telemetry on (OTLP to a collector that takes everything) against the same calls with it off, one process each.",
    run: async (conditions) => paired(await (await import("./telemetry/telemetry.ts")).telemetry(conditions)),
  },
];

function paired(rows: readonly Row[]): Results {
  return { rows, table: tableOf(rows) };
}
