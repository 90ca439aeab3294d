import type Anthropic from "@anthropic-ai/sdk";
import type { JsonObject } from "@toolbus/contracts";
import { callInput } from "../adapter/call-input.ts";

/** A block that is being streamed. */
export interface GrowingBlock {
  readonly start: Anthropic.RawContentBlockStartEvent["content_block"];
  readonly deltas: Anthropic.RawContentBlockDelta[];
  /** The number of the call in the message, from 0, or null for a block that is not a call. */
  readonly call: number | null;
}

/** A complete block. */
export interface MessageBlock {
  /** The block as a non-streamed answer would contain it. The adapter sends it back to the vendor in this form. */
  readonly block: JsonObject;
  readonly text: string;
  readonly call: { readonly id: string; readonly name: string; readonly arguments: string } | null;
}

export function wholeBlock({ start, deltas, call }: GrowingBlock): MessageBlock {
  const block: Record<string, unknown> = { ...start };
  const text = (start.type === "text" ? start.text : "") + joined(deltas, "text_delta", (delta) => delta.text);
  const input = joined(deltas, "input_json_delta", (delta) => delta.partial_json);
  const citations = deltas.flatMap((delta) => (delta.type === "citations_delta" ? [delta.citation] : []));
  if (start.type === "text") block["text"] = text;
  if (start.type === "text" && citations.length > 0) block["citations"] = [...(start.citations ?? []), ...citations];
  if (start.type === "thinking") {
    block["thinking"] = start.thinking + joined(deltas, "thinking_delta", (delta) => delta.thinking);
    block["signature"] = start.signature + joined(deltas, "signature_delta", (delta) => delta.signature);
  }
  if (input !== "") block["input"] = callInput(input);
  const whole = JSON.parse(JSON.stringify(block)) as JsonObject;
  if (start.type !== "tool_use" || call === null) return { block: whole, text, call: null };
  return {
    block: whole,
    text,
    call: { id: start.id ?? "", name: start.name, arguments: input === "" ? JSON.stringify(start.input ?? {}) : input },
  };
}

function joined<Type extends Anthropic.RawContentBlockDelta["type"]>(
  deltas: readonly Anthropic.RawContentBlockDelta[],
  type: Type,
  textOf: (delta: Extract<Anthropic.RawContentBlockDelta, { type: Type }>) => string,
): string {
  return deltas.map((delta) => (isOf(delta, type) ? textOf(delta) : "")).join("");
}

function isOf<Type extends Anthropic.RawContentBlockDelta["type"]>(
  delta: Anthropic.RawContentBlockDelta,
  type: Type,
): delta is Extract<Anthropic.RawContentBlockDelta, { type: Type }> {
  return delta.type === type;
}
