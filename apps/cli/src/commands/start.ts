import type { Command } from "commander";
import type { Define } from "../toolbus/command.ts";

/** `toolbus start`: what `npm start` does. */
export function addStart(program: Command, define: Define): void {
  define(program, {
    name: "start",
    summary: "start every service of Toolbus in this process",
    more:
      "It keeps its state in the data directory, prints its addresses and a key for each role, and stops with Ctrl-C. Settings are environment " +
      "variables: GATEWAY_PORT, APPROVALS_PORT, RELEASE_API_URL, LOG_LEVEL, those of the model (LLM_PROVIDER or a key such as ANTHROPIC_API_KEY) and those of the services.",
    audience: "gateway",
    examples: ["toolbus start", "toolbus start --data /var/lib/toolbus", "LLM_PROVIDER=ollama LLM_MODEL=qwen3 toolbus start"],
    run: async (context) => (await import("../start/start-command.ts")).start(context),
  });
}
