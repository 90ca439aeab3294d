import type { Command } from "commander";
import type { StartValues } from "../start/start-command.ts";
import type { Define } from "../toolbus/command.ts";

/** Declares `toolbus start`, which does the same as `npm start`, or starts every service in its own process. */
export function addStart(program: Command, define: Define): void {
  define(program, {
    name: "start",
    summary: "start every Toolbus service, in this process or each in its own",
    more:
      "It keeps its state in the data directory, prints its addresses and, at the first start, a key for each role, and stops with Ctrl-C. Settings are environment " +
      "variables: GATEWAY_PORT, APPROVALS_PORT, RELEASE_API_URL, LOG_LEVEL, those of the model (LLM_PROVIDER or a key such as ANTHROPIC_API_KEY) and those of the services. With --bus and --state each service is a separate process " +
      "on that broker and that store; a process that ends is reported and restarted, and all of them end with this one.",
    audience: "gateway",
    reads: "services",
    examples: [
      "toolbus start",
      "LLM_PROVIDER=ollama LLM_MODEL=qwen3 toolbus start",
      "toolbus start --bus nats://127.0.0.1:4222 --state 'redis://127.0.0.1:6379?durability=relaxed'",
    ],
    run: async (context, command) => (await import("../start/start-command.ts")).start(context, command.opts<StartValues>()),
  })
    .option("--bus <url>", "separate processes, on this broker: amqp://… or nats://… (BUS_URL, if --state is given)")
    .option("--state <url>", "with --bus: the store that they share, redis://… (STATE_URL, if --bus is given)");
}
