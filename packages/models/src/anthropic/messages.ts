import type Anthropic from "@anthropic-ai/sdk";
import type { JsonObject, TranscriptEntry } from "@toolbus/contracts";
import { callInput } from "../adapter/call-input.ts";
import { type AssistantPart, type AssistantTurn, GO_ON, messageTurns, type UserTurn } from "../adapter/message-turns.ts";
import { sentPrefix } from "../adapter/sent-prefix.ts";
import type { IdForm } from "../adapter/vendor-id.ts";
import type { WireTools } from "../adapter/wire-tools.ts";
import { ANTHROPIC_API, isThinking, ownTurn } from "./payload.ts";

/** Marks the end of the part that the vendor may cache. The vendor accepts up to four marks. */
export const CACHED: Anthropic.CacheControlEphemeral = { type: "ephemeral" };

/** The vendor requires this pattern for `tool_use.id`. The length is a cautious choice. */
const ID_FORM: IdForm = { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 };

type Block = Anthropic.ContentBlockParam;

interface Writing {
  readonly tools: WireTools;
  readonly model: string;
  /** The system prompt and the tools as they are sent, without cache marks. The model reads them before the messages. */
  readonly head: object;
}

/** The messages of a request. */
export interface AnthropicMessages {
  readonly messages: readonly Anthropic.MessageParam[];
  /** Returns the digest of the answer's prefix, which is `head` and all messages. */
  readonly prefix: () => string;
}

/**
 * Returns the transcript for the Messages API. Turns alternate and begin with the user's. Results are first in the message directly after their
 * calls. The turns of this model are sent back unchanged, but without their thinking if the content before it has changed.
 */
export function anthropicMessages(transcript: readonly TranscriptEntry[], { tools, model, head }: Writing): AnthropicMessages {
  const messages: Anthropic.MessageParam[] = [];
  const prefix = sentPrefix(head, messages);
  for (const turn of messageTurns(transcript, ID_FORM)) {
    messages.push(
      turn.role === "user"
        ? { role: "user", content: userBlocks(turn) }
        : { role: "assistant", content: assistantBlocks(turn, { tools, model, prefix }) },
    );
  }
  const last = messages.at(-1);
  if (last?.role === "assistant" && !waitsForTheVendor(last)) messages.push({ role: "user", content: [{ type: "text", text: GO_ON }] });
  return { messages: withCacheMarks(messages), prefix };
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

interface Replaying {
  readonly tools: WireTools;
  readonly model: string;
  /** Returns the digest of the prefix of the message. */
  readonly prefix: () => string;
}

function assistantBlocks({ parts }: AssistantTurn, replaying: Replaying): Block[] {
  return parts.flatMap((part, n) => ownBlocks(part, n === 0, replaying) ?? neutralBlocks(part, replaying.tools));
}

function neutralBlocks({ text, calls }: AssistantPart, tools: WireTools): Block[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...calls.map((call): Block => ({ type: "tool_use", id: call.id, name: tools.wireName(call.name), input: callInput(call.arguments) })),
  ];
}

/**
 * Returns the turn as this model wrote it, including thinking and signatures, or null if it differs from the neutral form. Only the first part of a
 * merged message may include its thinking. The content before every other part has changed.
 */
function ownBlocks({ text, calls, vendor }: AssistantPart, first: boolean, { tools, model, prefix }: Replaying): Block[] | null {
  const own = vendor?.api === ANTHROPIC_API && vendor.model === model ? ownTurn(vendor.payload) : null;
  if (!own) return null;
  const used = own.content.filter((block) => block["type"] === "tool_use");
  const paired =
    used.length === calls.length &&
    calls.every((call, n) => used[n]?.["id"] === call.id && used[n]["name"] === tools.wireName(call.name)) &&
    spokenIn(own.content).trim() === text.trim();
  if (!paired) return null;
  const thought = own.prefix !== null && first && own.prefix === prefix();
  return sendable(own.content, thought).map(asBlock);
}

/**
 * Returns the blocks that the vendor accepts back. The vendor sometimes writes blank texts but refuses them later. The function also omits thinking
 * after a blank text, because the prefix of that thinking has changed.
 */
function sendable(content: readonly JsonObject[], thought: boolean): readonly JsonObject[] {
  const blankAt = content.findIndex(isBlank);
  const thoughtUntil = !thought ? 0 : blankAt < 0 ? content.length : blankAt;
  return content.filter((block, n) => !isBlank(block) && (n < thoughtUntil || !isThinking(block)));
}

function isBlank(block: JsonObject): boolean {
  return block["type"] === "text" && spokenIn([block]).trim() === "";
}

function spokenIn(blocks: readonly JsonObject[]): string {
  return blocks.map((block) => (block["type"] === "text" && typeof block["text"] === "string" ? block["text"] : "")).join("");
}

/** Casts a block, which the vendor wrote and the store did not change. */
function asBlock(block: JsonObject): Block {
  return block as unknown as Block;
}

/** Returns true for a turn that the vendor paused in the middle of its own tool. Such a turn must be the last message. */
function waitsForTheVendor({ content }: Anthropic.MessageParam): boolean {
  const last = typeof content === "string" ? undefined : content.at(-1);
  return last !== undefined && (last.type === "server_tool_use" || (last.type !== "tool_result" && last.type.endsWith("_tool_result")));
}

/** Marks the last two user messages. The vendor looks back twenty blocks for cached content, and one long turn may fill all twenty. */
function withCacheMarks(messages: readonly Anthropic.MessageParam[]): readonly Anthropic.MessageParam[] {
  const marked = new Set(messages.flatMap(({ role }, at) => (role === "user" ? [at] : [])).slice(-2));
  return messages.map((message, at) => (marked.has(at) ? withCacheMark(message) : message));
}

function withCacheMark(message: Anthropic.MessageParam): Anthropic.MessageParam {
  if (message.role === "system" || typeof message.content === "string") return message;
  const last = message.content.at(-1);
  if (last?.type !== "text" && last?.type !== "tool_result") return message;
  return { ...message, content: [...message.content.slice(0, -1), { ...last, cache_control: CACHED }] };
}
