import { fileURLToPath } from "node:url";

/** The person who runs Toolbus on their own machine is the only caller: the limits only stop a runaway program. */
export const GENEROUS = {
  RUNS_PER_PRINCIPAL: "1000",
  RUNS_PER_MINUTE: "6000",
  CONVERSATIONS_PER_MINUTE: "6000",
  ACTIONS_PER_MINUTE: "6000",
  DECISIONS_PER_MINUTE: "6000",
  SSE_PER_PRINCIPAL: "1000",
} as const;

/** Nobody else registers tools there, so everything that registers was started by the owner. */
export const PIN_EVERYTHING = { PIN_ON_FIRST_SIGHT: "true" } as const;

/** The writes of the toolsets that ship, each by the hash of its definition: services in separate processes are configured to enable these. */
export const SHIPPED_TOOLS = {
  TOOLS_ENABLED_FILE: fileURLToPath(import.meta.resolve("@toolbus/tool-executor/enabled-tools.json")),
} as const;

/** What the tool-executor serves by default: the example toolset, and the one that keeps dead letters. */
export const OWN_TOOLSETS = { TOOLSETS: "release,operations" } as const;

/** The same if each process has the login of one toolset. */
export const APART_TOOLSETS = { "tool-executor": "release", operations: "operations", mcp: "mcp" } as const;
