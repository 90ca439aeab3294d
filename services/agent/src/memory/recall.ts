import { cutText, failedResult, parseResultIndex, parseWorkingResult, keys, type ToolResult } from "@toolbus/contracts";
import { blobOrNull, heldText, holdText, type StateStore } from "@toolbus/state";
import { minutes, outlineText } from "./result-index.ts";
import { resolveKey } from "./working-keys.ts";

/** The name of the loop's own tool that reads working memory. */
export const RECALL = "get_from_working_memory";

const KEY_CHARS = 200;

/**
 * Reads the value under a key of a conversation's working memory: a chunk, or an outline. Refuses a key of another conversation. For an expired key,
 * returns an error that says what to do. A long chunk is in the store when this resolves. Throws `StoreUnavailable`.
 */
export async function recall(
  state: Pick<StateStore, "read" | "putBlob" | "getBlob">,
  { conversationId, ttlMs }: { readonly conversationId: string; readonly ttlMs: number },
  key: string,
): Promise<ToolResult> {
  const named = JSON.stringify(cutText(key, KEY_CHARS));
  const resolved = resolveKey(conversationId, key);
  if (resolved.kind === "foreign")
    return failedResult("policy_denied", `${named} is not in the working memory of this conversation, and no other can be read.`);
  if (resolved.kind === "none")
    return failedResult("not_in_working_memory", `${named} is not a key of working memory: use one from an index.`);
  const { indexKey, chunk } = resolved.place;
  const { documents } = await state.read([keys.working(conversationId, indexKey)]);
  const working = parseWorkingResult(documents[0]?.value);
  if (!working.ok)
    return failedResult(
      "not_in_working_memory",
      `Nothing is kept under ${named}: working memory keeps a result for ${minutes(ttlMs)}. Call the tool again that gave the result, and use the new keys.`,
    );
  const { tool, content, index: indexBlob } = working.value;
  const stored = await blobOrNull(state, indexBlob);
  const index = parseResultIndex(stored && JSON.parse(Buffer.from(stored).toString()));
  const text = chunk === null ? "" : await heldText(state, { content: "", contentRef: content });
  if (!index.ok || text === null)
    return failedResult(
      "result_unavailable",
      `The result of ${tool} under ${named} is gone from the store. Call the tool again if it is a read.`,
    );
  if (chunk === null) return { status: "ok", content: outlineText(index.value, { tool, indexKey }), isError: false };
  const place = index.value.chunks[chunk - 1];
  if (!place)
    return failedResult(
      "not_in_working_memory",
      `There is no chunk ${chunk} of the result of ${tool}: it has ${index.value.chunks.length}.`,
    );
  return { status: "ok", ...(await holdText(state, text.slice(place.start, place.end))), isError: false };
}
