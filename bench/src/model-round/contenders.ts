import { peerModule } from "../peer-module.ts";
import type { RoundContender } from "./round.ts";

/**
 * Every contender. Each contender's module is loaded in the process that measures the contender. The contenders from other libraries need packages
 * that npm installs into bench/peers.
 */
export const contenders = {
  Toolbus: async () => (await import("./toolbus-rounds.ts")).toolbusRounds,
  "Toolbus, read as it streams": async () => (await import("./toolbus-rounds.ts")).toolbusStream,
  "the loop by hand": async () => (await import("./hand-sdk-loop.ts")).handSdkLoop,
  "LangGraph on PostgreSQL": () => peer("langgraph", "onPostgres"),
  "LangGraph in memory": () => peer("langgraph", "inMemory"),
  "LangGraph in memory, streamed": () => peer("langgraph", "streamed"),
  DBOS: () => peer("dbos", "contender"),
  "AI SDK": () => peer("ai-sdk", "generated"),
  "AI SDK, streamed": () => peer("ai-sdk", "streamed"),
  "OpenAI Agents": () => peer("openai-agents", "contender"),
  Mastra: () => peer("mastra", "contender"),
} as const satisfies Record<string, () => Promise<RoundContender>>;

export type ContenderName = keyof typeof contenders;

async function peer(module: string, name: string): Promise<RoundContender> {
  const found = (await peerModule<Readonly<Record<string, RoundContender>>>(module))[name];
  if (!found) throw new Error(`bench/peers/${module}.ts has no ${name}`);
  return found;
}
