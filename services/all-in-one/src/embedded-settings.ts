import { fileURLToPath } from "node:url";

/** Whoever runs Toolbus on their own machine is the only caller: limits that only stop a program that runs wild. */
export const GENEROUS = {
  RUNS_PER_PRINCIPAL: "1000",
  RUNS_PER_MINUTE: "6000",
  CONVERSATIONS_PER_MINUTE: "6000",
  ACTIONS_PER_MINUTE: "6000",
  DECISIONS_PER_MINUTE: "6000",
  SSE_PER_PRINCIPAL: "1000",
} as const;

/** Nobody else registers tools there, so what registers is what its owner started. */
export const PIN_EVERYTHING = { PIN_ON_FIRST_SIGHT: "true" } as const;

/** The writes of the toolsets that ship, each by the hash of its definition: what services of their own processes are told to enable. */
export const SHIPPED_TOOLS = {
  TOOLS_ENABLED_FILE: fileURLToPath(import.meta.resolve("@toolbus/tool-executor/enabled-tools.json")),
} as const;

/** What the tool-executor serves when nothing else is said: the example of a toolset, and the one that keeps dead letters. */
export const OWN_TOOLSETS = { TOOLSETS: "release,operations" } as const;

/** The same where each process has the login of one toolset. */
export const APART_TOOLSETS = { "tool-executor": "release", operations: "operations", mcp: "mcp" } as const;
