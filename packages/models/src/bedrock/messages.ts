import type { ContentBlock, Message, ToolResultContentBlock } from "@aws-sdk/client-bedrock-runtime";
import type { TranscriptEntry } from "@toolbus/contracts";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { callInput, jsonObjectOf } from "../adapter/call-input.ts";
import { type AssistantPart, type AssistantTurn, GO_ON, messageTurns, type TurnResult, type UserTurn } from "../adapter/message-turns.ts";
import { sentPrefix } from "../adapter/sent-prefix.ts";
import type { IdForm } from "../adapter/vendor-id.ts";
import type { WireTools } from "../adapter/wire-tools.ts";
import { cachePoint, cachesPrompts } from "./cache-point.ts";
import { documentOf } from "./document.ts";
import { BEDROCK_API, isBound, ownTurn } from "./payload.ts";

/** The form of `toolUseId` in the API reference. */
const ID_FORM: IdForm = { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 };

interface Writing {
  readonly tools: WireTools;
  readonly settings: AdapterSettings;
  /** The system prompt and the tools as they are sent, without cache marks. The model reads them before the messages. */
  readonly head: object;
}

/** The messages of a request. */
export interface ConverseMessages {
  readonly messages: readonly Message[];
  /** Returns the digest of the answer's prefix, which is `head` and all messages. */
  readonly prefix: () => string;
}

/**
 * Returns the transcript for Converse. Turns alternate, and the first and the last turn are the user's. Results are first in the message directly
 * after their calls. The turns of this model are sent back unchanged, but without signed thinking if the content before it has changed.
 */
export function converseMessages(transcript: readonly TranscriptEntry[], { tools, settings, head }: Writing): ConverseMessages {
  const messages: Message[] = [];
  const prefix = sentPrefix(head, messages);
  for (const turn of messageTurns(transcript, ID_FORM)) {
    messages.push(
      turn.role === "user"
        ? { role: "user", content: userBlocks(turn) }
        : { role: "assistant", content: assistantBlocks(turn, { tools, model: settings.model, prefix }) },
    );
  }
  if (messages.at(-1)?.role === "assistant") messages.push({ role: "user", content: [{ text: GO_ON }] });
  return { messages: cachesPrompts(settings) ? withCachePoint(messages) : messages, prefix };
}

function userBlocks({ results, texts }: UserTurn): ContentBlock[] {
  return [...results.map((result) => ({ toolResult: resultOf(result) })), ...texts.map((text) => ({ text }))];
}

function resultOf({ id, content, isError }: TurnResult): { toolUseId: string; content: ToolResultContentBlock[]; status?: "error" } {
  if (isError) return { toolUseId: id, content: [{ text: content }], status: "error" };
  const json = isExact(content) ? jsonObjectOf(content) : null;
  return { toolUseId: id, content: [json ? { json: documentOf(json) } : { text: content }] };
}

/**
 * Returns false for a text that would change as a value. Examples are numbers with more digits than JavaScript stores, and a member that JavaScript
 * drops.
 */
function isExact(content: string): boolean {
  return !/\d{16}|\d[eE][+-]?\d|__proto__/.test(content);
}

interface Replaying {
  readonly tools: WireTools;
  readonly model: string;
  /** Returns the digest of the prefix of the message. */
  readonly prefix: () => string;
}

function assistantBlocks({ parts }: AssistantTurn, replaying: Replaying): ContentBlock[] {
  return parts.flatMap((part, n) => ownBlocks(part, n === 0, replaying) ?? neutralBlocks(part, replaying.tools));
}

function neutralBlocks({ text, calls }: AssistantPart, tools: WireTools): ContentBlock[] {
  return [
    ...(text === "" ? [] : [{ text }]),
    ...calls.map((call) => ({
      toolUse: { toolUseId: call.id, name: tools.wireName(call.name), input: documentOf(callInput(call.arguments)) },
    })),
  ];
}

/**
 * Returns the part as this model wrote it, or null if another model wrote it or it differs from the neutral form. Signed thinking is included only if
 * everything before it is unchanged. A later part of a merged message never satisfies this condition, because the part now follows the earlier parts.
 */
function ownBlocks({ text, calls, vendor }: AssistantPart, first: boolean, { tools, model, prefix }: Replaying): ContentBlock[] | null {
  const own = vendor?.api === BEDROCK_API && vendor.model === model ? ownTurn(vendor.payload) : null;
  if (!own) return null;
  const used = own.content.flatMap(({ toolUse }) => (toolUse ? [toolUse] : []));
  const paired =
    used.length === calls.length &&
    calls.every((call, n) => used[n]?.toolUseId === call.id && used[n].name === tools.wireName(call.name)) &&
    own.content
      .map((block) => block.text ?? "")
      .join("")
      .trim() === text.trim();
  if (!paired) return null;
  const thought = own.prefix !== null && first && own.prefix === prefix();
  return sendable(own.content, thought);
}

/**
 * Returns the blocks that the vendor accepts back. Models write blank texts, but the vendor refuses them. The function also omits thinking after a
 * blank text, because the prefix of that thinking has changed.
 */
function sendable(content: readonly ContentBlock[], thought: boolean): ContentBlock[] {
  const blankAt = content.findIndex(isBlank);
  const thoughtUntil = !thought ? 0 : blankAt < 0 ? content.length : blankAt;
  return content.filter((block, n) => !isBlank(block) && (n < thoughtUntil || !isBound(block)));
}

function isBlank({ text }: ContentBlock): boolean {
  return text !== undefined && text.trim() === "";
}

function withCachePoint(messages: readonly Message[]): Message[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, n) => (n === at ? { ...message, content: [...(message.content ?? []), { cachePoint }] } : message));
}
