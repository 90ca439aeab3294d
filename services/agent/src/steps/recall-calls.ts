import { isJsonObject, type Registration, type Run, type ToolResult } from "@toolbus/contracts";
import { parseStrictJson } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import { CALLS_PER_TURN } from "../profile.ts";
import { recallTool } from "../transitions/loop-tools.ts";
import { recall } from "../memory/recall.ts";

/**
 * Reads the results of a turn's calls to working memory. Returns them by the number of the call in the turn. Reads them before the turn's commit,
 * because a commit cannot read. Skips a call without a key, because the check of its arguments refuses this call. Throws `StoreUnavailable`.
 */
export async function recallCalls(
  state: Pick<StateStore, "read" | "putBlob" | "getBlob">,
  {
    run,
    ttlMs,
    calls,
    tools,
  }: {
    readonly run: Pick<Run, "conversationId">;
    readonly ttlMs: number;
    readonly calls: readonly { readonly name: string; readonly arguments: string }[];
    readonly tools: ReadonlyMap<string, Registration>;
  },
): Promise<ReadonlyMap<number, ToolResult>> {
  const found = new Map<number, ToolResult>();
  if (calls.length > CALLS_PER_TURN) return found;
  for (const [n, call] of calls.entries()) {
    if (tools.get(call.name) !== recallTool) continue;
    const key = keyIn(call.arguments);
    if (key !== null) found.set(n, await recall(state, { conversationId: run.conversationId, ttlMs }, key));
  }
  return found;
}

function keyIn(text: string): string | null {
  const parsed = parseStrictJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const { key } = parsed.value;
  return typeof key === "string" ? key : null;
}
