import { Type } from "./schema.ts";

/** The scopes of a key, and of the runs that are started with it. */
export const Scopes = Type.Array(Type.String({ maxLength: 120 }), { maxItems: 64 });

/** The entries of `ToolRights.tools`. Each entry names a toolset, or one tool of a toolset. */
export const ToolEntries = Type.Array(Type.String({ maxLength: 130 }), { maxItems: 64 });

/** The tools that the requester of a run may use, as the gateway wrote them into the run's origin. */
export interface ToolRights {
  readonly scopes: readonly string[];
  /**
   * The toolsets (`release`) and tools (`release/get_release_summary`) that the requester's key may use. Without this field the key may use all
   * tools.
   */
  readonly tools?: readonly string[] | undefined;
}

/** The facts about a tool that decide whether it may be used: its name, its toolset and the scopes of its definition. */
export interface JudgedTool {
  readonly name: string;
  readonly toolset: string;
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Returns in a sentence why somebody with these rights may not use this tool, or null if they may. Gateway, agent and approvals all use this
 * function, so they show, offer, send and grant the same tools.
 */
export function rightsFault({ scopes, tools }: ToolRights, tool: JudgedTool): string | null {
  const { name, toolset } = tool;
  if (tools && !tools.includes(toolset) && !tools.includes(`${toolset}/${name}`))
    return `The requester's key may not use "${name}" of the toolset "${toolset}".`;
  const missing = (tool.scopes ?? []).filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return null;
  return `The requester lacks the scope ${missing.map((scope) => `"${scope}"`).join(", ")} that "${name}" requires.`;
}

/** Returns in a sentence what is wrong with an entry of a key's `tools`, and what to write instead. Returns null if the entry is valid. */
export function toolEntryFault(entry: string): string | null {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(?:\/[a-z][a-z0-9_]{0,63})?$/.test(entry)) return null;
  return `"${entry.slice(0, 80)}" does not name tools: write a toolset, such as "release", or a tool of one, such as "release/get_release_summary".`;
}
