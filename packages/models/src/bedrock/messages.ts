import type { ContentBlock, Message, ToolResultContentBlock } from "@aws-sdk/client-bedrock-runtime";
import type { TranscriptEntry } from "@toolbus/contracts";
import type { AdapterSettings } from "../adapter-settings.ts";
import { callInput, jsonObjectOf } from "../call-input.ts";
import { type AssistantPart, GO_ON, messageTurns, type TurnResult, type UserTurn } from "../message-turns.ts";
import type { IdForm } from "../vendor-id.ts";
import type { WireTools } from "../wire-tools.ts";
import { cachePoint, cachesPrompts } from "./cache-point.ts";
import { documentOf } from "./document.ts";
import { BEDROCK_API, blocksOfPayload } from "./payload.ts";

/** Of `toolUseId` in the API reference. */
const ID_FORM: IdForm = { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 };

/**
 * The transcript as Converse takes it: turns alternate and begin and end with the user's, results stand first in the one message after their
 * calls, and the turns of this model go back as they came.
 */
export function converseMessages(transcript: readonly TranscriptEntry[], tools: WireTools, settings: AdapterSettings): Message[] {
  const messages = messageTurns(transcript, ID_FORM).map((turn): Message => {
    if (turn.role === "user") return { role: "user", content: userBlocks(turn) };
    return {
      role: "assistant",
      content: turn.parts.flatMap((part) => ownBlocks(part, tools, settings.model) ?? neutralBlocks(part, tools)),
    };
  });
  if (messages.at(-1)?.role === "assistant") messages.push({ role: "user", content: [{ text: GO_ON }] });
  return cachesPrompts(settings) ? withCachePoint(messages) : messages;
}

/** The names of all calls, each once. */
export function toolNamesIn(messages: readonly Message[]): readonly string[] {
  const blocks = messages.flatMap(({ content }) => content ?? []);
  return [...new Set(blocks.flatMap(({ toolUse }) => (toolUse?.name === undefined ? [] : [toolUse.name])))];
}

function userBlocks({ results, texts }: UserTurn): ContentBlock[] {
  return [...results.map((result) => ({ toolResult: resultOf(result) })), ...texts.map((text) => ({ text }))];
}

function resultOf({ id, content, isError }: TurnResult): { toolUseId: string; content: ToolResultContentBlock[]; status?: "error" } {
  if (isError) return { toolUseId: id, content: [{ text: content }], status: "error" };
  const json = isExact(content) ? jsonObjectOf(content) : null;
  return { toolUseId: id, content: [json ? { json: documentOf(json) } : { text: content }] };
}

/** As a value some texts would not be what they are: numbers with more digits than a number keeps, and a member that JavaScript sets aside. */
function isExact(content: string): boolean {
  return !/\d{16}|\d[eE][+-]?\d|__proto__/.test(content);
}

function neutralBlocks({ text, calls }: AssistantPart, tools: WireTools): ContentBlock[] {
  return [
    ...(text === "" ? [] : [{ text }]),
    ...calls.map((call) => ({
      toolUse: { toolUseId: call.id, name: tools.wireName(call.name), input: documentOf(callInput(call.arguments)) },
    })),
  ];
}

/** The turn as this model wrote it, thinking and signatures among it; null unless it says what the neutral form says. */
function ownBlocks({ text, calls, vendor }: AssistantPart, tools: WireTools, model: string): ContentBlock[] | null {
  if (vendor?.api !== BEDROCK_API || vendor.model !== model) return null;
  const blocks = blocksOfPayload(vendor.payload);
  if (!blocks) return null;
  const used = blocks.flatMap(({ toolUse }) => (toolUse ? [toolUse] : []));
  const paired =
    used.length === calls.length &&
    calls.every((call, n) => used[n]?.toolUseId === call.id && used[n].name === tools.wireName(call.name)) &&
    blocks
      .map((block) => block.text ?? "")
      .join("")
      .trim() === text.trim();
  // Blank texts are refused, although models write them.
  return paired ? blocks.filter((block) => block.text === undefined || block.text.trim() !== "") : null;
}

function withCachePoint(messages: readonly Message[]): Message[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, n) => (n === at ? { ...message, content: [...(message.content ?? []), { cachePoint }] } : message));
}
