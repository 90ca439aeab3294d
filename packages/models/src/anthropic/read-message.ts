import type Anthropic from "@anthropic-ai/sdk";
import { NetworkError, ProviderError } from "../model-errors.ts";
import type { ModelContext, ModelRequest } from "../model-provider.ts";
import { type AnswerBounds, DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import { argumentsMeter } from "../adapter/arguments-meter.ts";
import { mayCall, type WireTools } from "../adapter/wire-tools.ts";
import { type GrowingBlock, type MessageBlock, wholeBlock } from "./growing-block.ts";

/** A complete message. */
export interface ReadMessage {
  readonly model: string;
  readonly blocks: readonly MessageBlock[];
  readonly stopReason: string | null;
  readonly usage: MessageUsage;
}

export interface MessageUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** The tokens of thinking, or null if the vendor does not report them. */
  readonly thinking: number | null;
}

interface Reading {
  readonly request: ModelRequest;
  readonly tools: WireTools;
  readonly context: ModelContext;
  readonly bounds?: AnswerBounds | undefined;
}

const NOTHING: MessageUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, thinking: null };

/**
 * Reads the events to the end and passes each piece of text on as it arrives. Only `message_stop` after the end of every block completes a message.
 * Rejects with `NetworkError` if the stream ends earlier, with `ProviderError` for events in an impossible order, and with `AnswerTooLarge` for too
 * many or too long calls.
 */
export async function readMessage(events: AsyncIterable<Anthropic.RawMessageStreamEvent>, reading: Reading): Promise<ReadMessage> {
  const { signal } = reading.context;
  const meter = argumentsMeter(reading.bounds ?? DEFAULT_BOUNDS);
  const blocks = new Map<number, GrowingBlock>();
  const open = new Set<number>();
  let head: Anthropic.Message | null = null;
  let stopReason: string | null = null;
  let usage = NOTHING;
  let stopped = false;
  let calls = 0;

  for await (const event of events) {
    signal.throwIfAborted();
    switch (event.type) {
      case "message_start":
        head = event.message;
        usage = usageWith(usage, event.message.usage);
        break;
      case "content_block_start": {
        const block: GrowingBlock = {
          start: event.content_block,
          deltas: [],
          call: event.content_block.type === "tool_use" ? calls++ : null,
        };
        if (event.content_block.type === "tool_use") {
          meter.begin();
          meter.take(JSON.stringify(event.content_block.input ?? {}));
        }
        blocks.set(event.index, block);
        open.add(event.index);
        if (event.content_block.type === "text") say(event.content_block.text, reading);
        break;
      }
      case "content_block_delta": {
        const block = blocks.get(event.index);
        if (!block || !open.has(event.index)) throw outOfOrder(event.type);
        if (event.delta.type === "input_json_delta") meter.take(event.delta.partial_json);
        block.deltas.push(event.delta);
        passOn(event.delta, block, reading);
        break;
      }
      case "content_block_stop":
        if (!open.delete(event.index)) throw outOfOrder(event.type);
        break;
      case "message_delta":
        stopReason = event.delta.stop_reason;
        usage = usageWith(usage, event.usage);
        break;
      case "message_stop":
        stopped = true;
        break;
      default:
        // The vendor adds events and says that clients must ignore unknown ones.
        event satisfies never;
    }
  }
  signal.throwIfAborted();
  if (!head || !stopped || open.size > 0)
    throw new NetworkError("Anthropic's answer broke off before it was whole: nothing of it is used.");
  const ordered = [...blocks].toSorted(([a], [b]) => a - b);
  return { model: head.model, blocks: ordered.map(([, block]) => wholeBlock(block)), stopReason, usage };
}

function passOn(delta: Anthropic.RawContentBlockDelta, block: GrowingBlock, reading: Reading): void {
  if (delta.type === "text_delta") say(delta.text, reading);
  if (delta.type !== "input_json_delta" || block.call === null || block.start.type !== "tool_use" || delta.partial_json === "") return;
  if (!mayCall(reading.request, reading.tools)) return;
  const { name } = reading.tools.restored(block.start.name, "{}");
  reading.context.onArguments?.({ index: block.call, name, text: delta.partial_json });
}

function say(text: string, { context }: Reading): void {
  if (text !== "" && !context.signal.aborted) context.onText(text);
}

/** Replaces earlier figures with later ones, because the figures of `message_delta` cover the whole message so far. */
function usageWith(before: MessageUsage, said: Partial<Anthropic.Usage | Anthropic.MessageDeltaUsage> | undefined): MessageUsage {
  return {
    input: said?.input_tokens ?? before.input,
    cacheRead: said?.cache_read_input_tokens ?? before.cacheRead,
    cacheWrite: said?.cache_creation_input_tokens ?? before.cacheWrite,
    output: said?.output_tokens ?? before.output,
    thinking: said?.output_tokens_details?.thinking_tokens ?? before.thinking,
  };
}

function outOfOrder(type: string): ProviderError {
  return new ProviderError(`Anthropic sent ${JSON.stringify(type)} for a block that is not open: the answer cannot be read.`, true);
}
