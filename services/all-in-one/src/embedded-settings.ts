import { fileURLToPath } from "node:url";

/** The limits for a person who runs Toolbus on their own machine and is the only caller. They only stop a runaway program. */
export const GENEROUS = {
  RUNS_PER_PRINCIPAL: "1000",
  RUNS_PER_MINUTE: "6000",
  CONVERSATIONS_PER_MINUTE: "6000",
  ACTIONS_PER_MINUTE: "6000",
  DECISIONS_PER_MINUTE: "6000",
  SSE_PER_PRINCIPAL: "1000",
} as const;

/** Only the owner of the machine starts workers, so every tool that registers is pinned at once. */
export const PIN_EVERYTHING = { PIN_ON_FIRST_SIGHT: "true" } as const;

/**
 * The file that lists the writes of the shipped toolsets, each with the hash of its definition. Services in separate processes are configured to
 * enable these writes.
 */
export const SHIPPED_TOOLS = {
  TOOLS_ENABLED_FILE: fileURLToPath(import.meta.resolve("@toolbus/tool-executor/enabled-tools.json")),
} as const;

/** The toolsets that the tool-executor serves by default: the example toolset, and the toolset for dead letters. */
export const OWN_TOOLSETS = { TOOLSETS: "release,operations" } as const;

/** The toolset of each process, if every process has the login of one toolset. */
export const APART_TOOLSETS = { "tool-executor": "release", operations: "operations", mcp: "mcp" } as const;
