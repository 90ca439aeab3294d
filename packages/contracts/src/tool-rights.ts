import { Type } from "./schema.ts";

/** Scopes as a key has them and a run keeps them. */
export const Scopes = Type.Array(Type.String({ maxLength: 120 }), { maxItems: 64 });

/** A toolset or a tool of one, as an entry of `ToolRights.tools`. */
export const ToolEntries = Type.Array(Type.String({ maxLength: 130 }), { maxItems: 64 });

/** What the requester of a run may use, as the gateway wrote it into the run's origin. */
export interface ToolRights {
  readonly scopes: readonly string[];
  /** Toolsets (`release`) and tools of one (`release/get_release_summary`) that the requester's key may use; absent: all of them. */
  readonly tools?: readonly string[] | undefined;
}

/** The facts of a tool that rights depend on: its name, its toolset, and the scopes of its definition. */
export interface JudgedTool {
  readonly name: string;
  readonly toolset: string;
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Why somebody with these rights may not use this tool, in a sentence; null if they may. Gateway, agent and approvals all use it, so that what is shown,
 * offered, sent and granted is the same.
 */
export function rightsFault({ scopes, tools }: ToolRights, tool: JudgedTool): string | null {
  const { name, toolset } = tool;
  if (tools && !tools.includes(toolset) && !tools.includes(`${toolset}/${name}`))
    return `The requester's key may not use "${name}" of the toolset "${toolset}".`;
  const missing = (tool.scopes ?? []).filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return null;
  return `The requester lacks the scope ${missing.map((scope) => `"${scope}"`).join(", ")} that "${name}" requires.`;
}

/** What is wrong with an entry of a key's `tools`, in a sentence with the remedy; null if it is valid. */
export function toolEntryFault(entry: string): string | null {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(?:\/[a-z][a-z0-9_]{0,63})?$/.test(entry)) return null;
  return `"${entry.slice(0, 80)}" does not name tools: write a toolset, such as "release", or a tool of one, such as "release/get_release_summary".`;
}
