import type Anthropic from "@anthropic-ai/sdk";
import { isJsonObject, type Json, type JsonObject, type TranscriptEntry } from "@toolbus/contracts";
import { callInput } from "../call-input.ts";
import { type AssistantPart, type AssistantTurn, GO_ON, messageTurns, type UserTurn } from "../message-turns.ts";
import type { IdForm } from "../vendor-id.ts";
import type { WireTools } from "../wire-tools.ts";

/** How a turn of this wire format is marked. */
export const ANTHROPIC_API = "anthropic.messages";

/** Marks the end of what may be cached. The vendor takes up to four marks. */
export const CACHED: Anthropic.CacheControlEphemeral = { type: "ephemeral" };

/** `tool_use.id` must match this; the length is a careful one. */
const ID_FORM: IdForm = { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 };

type Block = Anthropic.ContentBlockParam;

/**
 * The transcript as the Messages API takes it: turns alternate and begin with the user's, results stand first in the one message after their
 * calls, and the turns of this model go back as they came.
 */
export function anthropicMessages(transcript: readonly TranscriptEntry[], tools: WireTools, model: string): Anthropic.MessageParam[] {
  const messages = messageTurns(transcript, ID_FORM).map((turn): Anthropic.MessageParam =>
    turn.role === "user"
      ? { role: "user", content: userBlocks(turn) }
      : { role: "assistant", content: assistantBlocks(turn, tools, model) },
  );
  const last = messages.at(-1);
  if (last?.role === "assistant" && !waitsForTheVendor(last)) messages.push({ role: "user", content: [{ type: "text", text: GO_ON }] });
  return withCacheMarks(messages);
}

/** The names of all calls, each once. */
export function toolNamesIn(messages: readonly Anthropic.MessageParam[]): readonly string[] {
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return [...new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])))];
}

function userBlocks({ results, texts }: UserTurn): Block[] {
  return [
    ...results.map(({ id, content, isError }): Block => ({
      type: "tool_result",
      tool_use_id: id,
      content,
      ...(isError ? { is_error: true } : {}),
    })),
    ...texts.map((text): Block => ({ type: "text", text })),
  ];
}

function assistantBlocks({ parts }: AssistantTurn, tools: WireTools, model: string): Block[] {
  return parts.flatMap((part) => ownBlocks(part, tools, model) ?? neutralBlocks(part, tools));
}

function neutralBlocks({ text, calls }: AssistantPart, tools: WireTools): Block[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...calls.map((call): Block => ({ type: "tool_use", id: call.id, name: tools.wireName(call.name), input: callInput(call.arguments) })),
  ];
}

/** The turn as this model wrote it, thinking and signatures among it; null unless it says what the neutral form says. */
function ownBlocks({ text, calls, vendor }: AssistantPart, tools: WireTools, model: string): Block[] | null {
  if (vendor?.api !== ANTHROPIC_API || vendor.model !== model || !Array.isArray(vendor.payload)) return null;
  const payload: readonly Json[] = vendor.payload;
  const blocks = payload.filter(isJsonObject);
  const used = blocks.filter((block) => block["type"] === "tool_use");
  const paired =
    used.length === calls.length &&
    calls.every((call, n) => used[n]?.["id"] === call.id && used[n]["name"] === tools.wireName(call.name)) &&
    spokenIn(blocks).trim() === text.trim();
  // The vendor itself writes blank texts at times, and refuses them when they come back.
  return paired ? blocks.filter((block) => block["type"] !== "text" || spokenIn([block]).trim() !== "").map(asBlock) : null;
}

function spokenIn(blocks: readonly JsonObject[]): string {
  return blocks.map((block) => (block["type"] === "text" && typeof block["text"] === "string" ? block["text"] : "")).join("");
}

/** It came from the vendor as a block and was kept as it was. */
function asBlock(block: JsonObject): Block {
  return block as unknown as Block;
}

/** A turn that the vendor paused in the middle of its own tool goes back at the very end, with nothing behind it. */
function waitsForTheVendor({ content }: Anthropic.MessageParam): boolean {
  const last = typeof content === "string" ? undefined : content.at(-1);
  return last !== undefined && (last.type === "server_tool_use" || (last.type !== "tool_result" && last.type.endsWith("_tool_result")));
}

/** The last two messages of the user: the vendor looks back twenty blocks for what it knows, which one long turn may have filled. */
function withCacheMarks(messages: Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const marked = new Set(messages.flatMap(({ role }, at) => (role === "user" ? [at] : [])).slice(-2));
  return messages.map((message, at) => (marked.has(at) ? withCacheMark(message) : message));
}

function withCacheMark(message: Anthropic.MessageParam): Anthropic.MessageParam {
  if (message.role === "system" || typeof message.content === "string") return message;
  const last = message.content.at(-1);
  if (last?.type !== "text" && last?.type !== "tool_result") return message;
  return { ...message, content: [...message.content.slice(0, -1), { ...last, cache_control: CACHED }] };
}
