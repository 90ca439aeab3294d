import type { Benchmark, Results } from "./benchmark.ts";
import type { Row } from "./row.ts";
import { tableOf } from "./table.ts";

/** Every benchmark. The module of a benchmark is loaded when the benchmark is started. */
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
  {
    name: "tool-call",
    summary: "A durable tool call over RabbitMQ and over JetStream, against the same made by hand with the broker's own client.",
    flags: ["rabbitmq", "nats", "peers"],
    run: async (conditions, requests) => (await import("./tool-call/tool-call.ts")).toolCall(conditions, requests),
  },
  {
    name: "run-loop",
    summary: "Whole runs of an agent with Redis as state, against a loop made by hand that keeps one checkpoint a round on the same Redis.",
    flags: ["redis", "rabbitmq", "nats", "before"],
    run: async (conditions, requests) => (await import("./run-loop/run-loop.ts")).runLoop(conditions, requests),
  },
  {
    name: "model-round",
    summary:
      "Whole runs with the adapter for OpenAI on a stub of a model, against a loop by hand and other libraries; and one call of each adapter.",
    flags: ["redis", "postgres", "peers"],
    run: async (conditions, requests) => (await import("./model-round/model-round.ts")).modelRound(conditions, requests),
  },
  {
    name: "context",
    summary:
      "Building what a model is shown of a conversation of 10, 100 and 1,000 turns, against reading and counting all of it each turn.",
    run: async (conditions) => (await import("./context/context.ts")).context(conditions),
  },
  {
    name: "approvals",
    summary: "A page of the list, one decision and a thousand expiries with 100,000 pending approvals, against the same with 100.",
    flags: ["redis"],
    run: async (conditions, requests) => (await import("./approvals/approvals.ts")).approvalsBench(conditions, requests),
  },
  {
    name: "recovery",
    summary:
      "How long runs stand still after the process that works on them is killed or frozen, on both brokers, two replicas of every service.",
    flags: ["redis", "rabbitmq", "nats"],
    run: async (conditions, requests) => (await import("./recovery/recovery.ts")).recovery(conditions, requests),
  },
  {
    name: "tools",
    summary:
      "1,000 tools of 50 services against 100: the starts of a bridge and a worker, a run's choice and a search; and a call of an MCP server, against the SDK's client.",
    run: async (conditions) => (await import("./tools/tools.ts")).tools(conditions),
  },
];

function paired(rows: readonly Row[]): Results {
  return { rows, table: tableOf(rows) };
}
