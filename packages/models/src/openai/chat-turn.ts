import type { Json, JsonObject, TranscriptEntry } from "@toolbus/contracts";
import type { ChatCompletionMessageFunctionToolCall } from "openai/resources/chat/completions";
import { type AnswerBounds, DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import { argumentsMeter } from "../adapter/arguments-meter.ts";
import { freeCallIds } from "../adapter/call-ids.ts";
import type { ArgumentsText, ModelCall, ModelUsage, StopReason } from "../model-provider.ts";
import type { ChatChunk, ChatDelta, ChatUsage, ToolCallDelta } from "./chat-chunk.ts";
import type { ChatVendor } from "./chat-vendor.ts";
import { CHAT_ENDINGS } from "./chat-endings.ts";
import { chatUsage } from "./chat-usage.ts";
import { reasoningPieces } from "./reasoning-pieces.ts";
import type { SentTools } from "./sent-tools.ts";
import { type ToolDeltas, toolDeltas, type WrittenCall } from "./tool-deltas.ts";

/** Receives a turn as the model writes it. */
export interface TurnListener {
  onText(delta: string): void;
  onArguments?(delta: ArgumentsText): void;
}

/** A turn that is arriving. */
export interface ChatTurn {
  read(chunk: ChatChunk): void;
  /** The vendor's reason for the end of the turn, or null while the turn continues. */
  readonly ending: string | null;
  /** Returns the turn so far, or null if `ending` does not mean that the turn is complete. */
  whole(transcript: readonly TranscriptEntry[]): WholeTurn | null;
}

/** `M` is the type of the vendor's own form. */
export interface WholeTurn<M = JsonObject> {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly stop: StopReason;
  /** The usage, or null if the vendor did not report it. */
  readonly usage: ModelUsage | null;
  /** The model, or null if the vendor does not name it. */
  readonly model: string | null;
  /** The turn in the form in which later requests must contain it, or null for a turn that was cut off or is empty. */
  readonly message: M | null;
}

/** Reads the chunks of one turn. If `callable` is false, the reply may contain no calls, so the reader omits them. `read` throws `AnswerTooLarge`. */
export function chatTurn(
  vendor: ChatVendor,
  tools: SentTools,
  callable: boolean,
  listener: TurnListener,
  bounds: AnswerBounds = DEFAULT_BOUNDS,
): ChatTurn {
  const deltas: ToolDeltas = toolDeltas(argumentsMeter(bounds));
  const reasoning = reasoningPieces(vendor.keeps);
  let text = "";
  let refused = false;
  let dropped = false;
  let ending: string | null = null;
  let usage: ChatUsage | null = null;
  let model: string | null = null;

  return {
    read: (chunk) => {
      model ??= textOf(chunk.model) || null;
      usage = chunk.usage ?? usage;
      const choice = chunk.choices?.[0];
      if (!choice) return;
      if (choice.delta) readDelta(choice.delta);
      ending = textOf(choice.finish_reason) || ending;
    },
    get ending() {
      return ending;
    },
    whole: (transcript) => {
      const stop = stopOf(ending ?? "");
      if (stop === null) return null;
      const written = deltas.calls.filter((call) => call.ours && call.name !== "");
      const calls = stop === "tool_use" ? modelCalls(written, transcript) : [];
      const done = (stop === "end_turn" || stop === "tool_use") && (text !== "" || calls.length > 0);
      const message = done ? messageOf(calls, written) : null;
      return { text, calls, stop: calls.length === 0 && stop === "tool_use" ? "end_turn" : stop, usage: chatUsage(usage), model, message };
    },
  };

  function readDelta(delta: ChatDelta): void {
    say(contentText(delta.content));
    const refusal = textOf(delta.refusal);
    refused ||= refusal !== "";
    say(refusal);
    if (vendor.keeps.length > 0) reasoning.add(delta);
    if (!Array.isArray(delta.tool_calls)) return;
    dropped ||= !callable;
    if (dropped) return;
    for (const piece of delta.tool_calls as readonly (ToolCallDelta | null)[]) {
      if (typeof piece !== "object" || piece === null) continue;
      const { call, text: added } = deltas.add(piece);
      if (added !== "") tell(call, added);
    }
  }

  function say(piece: string): void {
    if (piece === "") return;
    text += piece;
    listener.onText(piece);
  }

  function tell(call: WrittenCall, added: string): void {
    if (!call.ours || call.name === "") return;
    listener.onArguments?.({ index: ownCalls().indexOf(call), name: tools.restored(call.name, "").name, text: added });
  }

  function ownCalls(): readonly WrittenCall[] {
    return deltas.calls.filter(({ ours }) => ours);
  }

  /**
   * Returns our stop reason, or null. The calls decide, because some servers send `stop` after calls, and some send `tool_calls` without any call.
   */
  function stopOf(said: string): StopReason | null {
    const stop = CHAT_ENDINGS[said] ?? vendor.endings[said] ?? null;
    if (stop === null) return null;
    if (refused) return "refusal";
    return stop === "end_turn" && deltas.calls.some(({ ours, name }) => ours && name !== "") ? "tool_use" : stop;
  }

  function modelCalls(written: readonly WrittenCall[], transcript: readonly TranscriptEntry[]): readonly ModelCall[] {
    if (written.length === 0) return [];
    const ids = freeCallIds(
      written.map(({ id }) => id),
      transcript,
    );
    return written.map(({ name, arguments: said }, n) => {
      // Some servers send an empty text for a call without arguments.
      return { id: ids[n] ?? "", ...tools.restored(name, said.trim() === "" ? "{}" : said) };
    });
  }

  function messageOf(calls: readonly ModelCall[], written: readonly WrittenCall[]): JsonObject {
    const message: Record<string, Json> = { role: "assistant", content: text === "" && calls.length > 0 ? null : text };
    if (calls.length > 0)
      message["tool_calls"] = written.map((call, n) => {
        const made = { name: call.name, arguments: call.arguments.trim() === "" ? "{}" : call.arguments };
        return { id: calls[n]?.id ?? "", type: "function", function: made } satisfies ChatCompletionMessageFunctionToolCall;
      });
    // A later request must not contain thinking without the calls that it led to.
    return dropped ? message : Object.assign(message, reasoning.members());
  }
}

/** Returns the text, or the text in the parts. Mistral sends its thinking as parts. */
function contentText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly Json[])
    .map((part) => (typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? part.text : ""))
    .join("");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
