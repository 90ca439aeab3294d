import type { ContentBlockDelta, ConverseStreamOutput, TokenUsage } from "@aws-sdk/client-bedrock-runtime";
import { NetworkError, ProviderError } from "../model-errors.ts";
import type { ModelContext, ModelRequest } from "../model-provider.ts";
import { type AnswerBounds, DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import { argumentsMeter } from "../adapter/arguments-meter.ts";
import { mayCall, type WireTools } from "../adapter/wire-tools.ts";
import { type GrowingBlock, type MessageBlock, wholeBlock } from "./growing-block.ts";

/** A complete message. */
export interface ReadMessage {
  readonly blocks: readonly MessageBlock[];
  readonly stopReason: string;
  /** The usage, or null if the vendor did not report it. */
  readonly usage: TokenUsage | null;
}

interface Reading {
  readonly request: ModelRequest;
  readonly tools: WireTools;
  readonly context: ModelContext;
  readonly bounds?: AnswerBounds | undefined;
}

/**
 * Reads the events to the end and passes each piece of text on as it arrives. Only `messageStop` after the end of every block completes a message.
 * Rejects with `NetworkError` if the stream ends earlier, with `ProviderError` for events in an impossible order, and with `AnswerTooLarge` for too
 * many or too long calls.
 */
export async function readMessage(events: AsyncIterable<ConverseStreamOutput>, reading: Reading): Promise<ReadMessage> {
  const { signal } = reading.context;
  const meter = argumentsMeter(reading.bounds ?? DEFAULT_BOUNDS);
  const blocks = new Map<number, GrowingBlock>();
  const open = new Set<number>();
  let stopReason: string | null = null;
  let usage: TokenUsage | null = null;
  let calls = 0;

  for await (const event of events) {
    signal.throwIfAborted();
    if (event.contentBlockStart) {
      const { contentBlockIndex: index, start } = event.contentBlockStart;
      if (index === undefined) throw outOfOrder("contentBlockStart");
      if (start?.toolUse) meter.begin();
      blocks.set(index, { start: start?.toolUse ?? null, deltas: [], call: start?.toolUse ? calls++ : null });
      open.add(index);
    } else if (event.contentBlockDelta) {
      const { contentBlockIndex: index, delta } = event.contentBlockDelta;
      if (index === undefined || !delta) throw outOfOrder("contentBlockDelta");
      const block = blocks.get(index) ?? textBlock();
      if (blocks.has(index) && !open.has(index)) throw outOfOrder("contentBlockDelta");
      blocks.set(index, block);
      open.add(index);
      meter.take(delta.toolUse?.input ?? "");
      block.deltas.push(delta);
      passOn(delta, block, reading);
    } else if (event.contentBlockStop) {
      const { contentBlockIndex: index } = event.contentBlockStop;
      if (index === undefined || !open.delete(index)) throw outOfOrder("contentBlockStop");
    } else if (event.messageStop) {
      stopReason = event.messageStop.stopReason ?? "";
    } else if (event.metadata) {
      usage = event.metadata.usage ?? null;
    }
  }
  signal.throwIfAborted();
  if (stopReason === null || open.size > 0)
    throw new NetworkError("Amazon Bedrock's answer broke off before it was whole: nothing of it is used.");
  const ordered = [...blocks].toSorted(([a], [b]) => a - b);
  return { blocks: ordered.map(([, block]) => wholeBlock(block)), stopReason, usage };
}

/** Returns an empty block for text or thinking, which begins with its first piece. Only calls have a separate start. */
function textBlock(): GrowingBlock {
  return { start: null, deltas: [], call: null };
}

function passOn(delta: ContentBlockDelta, block: GrowingBlock, { request, tools, context }: Reading): void {
  if (context.signal.aborted) return;
  if (delta.text) context.onText(delta.text);
  const input = delta.toolUse?.input;
  if (!input || block.call === null || block.start?.name === undefined || !mayCall(request, tools)) return;
  const { name } = tools.restored(block.start.name, "{}");
  context.onArguments?.({ index: block.call, name, text: input });
}

function outOfOrder(type: string): ProviderError {
  return new ProviderError(`Amazon Bedrock sent ${JSON.stringify(type)} for a block that is not open: the answer cannot be read.`, true);
}
