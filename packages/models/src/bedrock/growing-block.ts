import type { ContentBlock, ContentBlockDelta, ToolUseBlockStart } from "@aws-sdk/client-bedrock-runtime";
import { callInput } from "../adapter/call-input.ts";
import { documentOf } from "./document.ts";

/** A block that is being streamed. */
export interface GrowingBlock {
  /** The start of a call, or null for a block that has no start. */
  readonly start: ToolUseBlockStart | null;
  readonly deltas: ContentBlockDelta[];
  /** The number of the call in the message, from 0, or null for a block that is not a call. */
  readonly call: number | null;
}

/** A complete block. */
export interface MessageBlock {
  /** The block as a non-streamed answer would contain it, for the next request. Null for a block that cannot go back to the vendor. */
  readonly block: ContentBlock | null;
  readonly text: string;
  readonly call: { readonly id: string; readonly name: string; readonly arguments: string } | null;
}

export function wholeBlock({ start, deltas, call }: GrowingBlock): MessageBlock {
  if (start && call !== null) {
    const written = deltas.map(({ toolUse }) => toolUse?.input ?? "").join("");
    const { toolUseId: id = "", name = "", type } = start;
    const input = documentOf(callInput(written));
    const toolUse = { toolUseId: id, name, input, ...(type === undefined ? {} : { type }) };
    return { block: { toolUse }, text: "", call: { id, name, arguments: written === "" ? "{}" : written } };
  }
  if (deltas.some(({ reasoningContent }) => reasoningContent)) return { block: thinkingOf(deltas), text: "", call: null };
  const text = deltas.map((delta) => delta.text ?? "").join("");
  return { block: text === "" ? null : { text }, text, call: null };
}

function thinkingOf(deltas: readonly ContentBlockDelta[]): ContentBlock | null {
  const said = deltas.flatMap(({ reasoningContent }) => (reasoningContent ? [reasoningContent] : []));
  const redacted = said.flatMap(({ redactedContent }) => (redactedContent ? [redactedContent] : []));
  if (redacted.length > 0) return { reasoningContent: { redactedContent: Buffer.concat(redacted) } };
  const signature = said.map((delta) => delta.signature ?? "").join("");
  const text = said.map((delta) => delta.text ?? "").join("");
  return { reasoningContent: { reasoningText: { text, ...(signature === "" ? {} : { signature }) } } };
}
