import { isJsonObject, type Json, type JsonObject, type TranscriptEntry } from "@toolbus/contracts";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { type AnswerBounds, DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import { argumentsMeter } from "../adapter/arguments-meter.ts";
import { freeCallIds } from "../adapter/call-ids.ts";
import type { ModelUsage, StopReason } from "../model-provider.ts";
import type { TurnListener, WholeTurn } from "./chat-turn.ts";
import { counted } from "./counted.ts";
import { outputText } from "./responses-output.ts";
import type { SentTools } from "./sent-tools.ts";

export interface ResponsesTurn {
  read(event: JsonObject): void;
  /** The reason why the response is incomplete, or `completed`, or null while the response continues. */
  readonly ending: string | null;
  /** Returns the turn so far, or null if `ending` does not mean that the turn is complete. */
  whole(transcript: readonly TranscriptEntry[]): WholeTurn<readonly JsonObject[]> | null;
}

type EventType = ResponseStreamEvent["type"];

const ENDINGS: Readonly<Record<string, StopReason>> = { completed: "end_turn", max_output_tokens: "max_tokens", content_filter: "refusal" };

/**
 * Reads the events of one response. If `callable` is false, the reply may contain no calls, so the reader omits them. `read` and `whole` throw
 * `AnswerTooLarge`.
 */
export function responsesTurn(
  tools: SentTools,
  callable: boolean,
  listener: TurnListener,
  bounds: AnswerBounds = DEFAULT_BOUNDS,
): ResponsesTurn {
  const streamed = argumentsMeter(bounds);
  const done: JsonObject[] = [];
  const begun: { readonly place: Json; readonly name: string }[] = [];
  let text = "";
  let refused = false;
  let response: JsonObject | null = null;

  return {
    read: (event) => {
      const { delta, item } = event;
      switch (event["type"] as EventType) {
        case "response.output_text.delta":
          return say(delta);
        case "response.refusal.delta":
          refused = true;
          return say(delta);
        case "response.output_item.added":
          if (!isJsonObject(item) || item["type"] !== "function_call") return;
          streamed.begin();
          begun.push({ place: event["output_index"] ?? null, name: tools.restored(textOf(item["name"]), "").name });
          return;
        case "response.function_call_arguments.delta":
          streamed.take(textOf(delta));
          return tell(event["output_index"] ?? null, textOf(delta));
        case "response.output_item.done":
          if (isJsonObject(item)) done.push(item);
          return;
        case "response.completed":
        case "response.incomplete":
          response = isJsonObject(event["response"]) ? event["response"] : {};
          return;
        default:
          return;
      }
    },
    get ending() {
      return response === null ? null : endingOf(response);
    },
    whole: (transcript) => (response === null ? null : wholeOf(response, transcript)),
  };

  function say(delta: Json | undefined): void {
    const piece = textOf(delta);
    if (piece === "") return;
    text += piece;
    listener.onText(piece);
  }

  function tell(place: Json, added: string): void {
    const index = begun.findIndex((call) => call.place === place);
    const call = begun[index];
    if (callable && added !== "" && call !== undefined) listener.onArguments?.({ index, name: call.name, text: added });
  }

  function wholeOf(whole: JsonObject, transcript: readonly TranscriptEntry[]): WholeTurn<readonly JsonObject[]> | null {
    const ending = ENDINGS[endingOf(whole)];
    if (ending === undefined) return null;
    const listed = Array.isArray(whole["output"]) ? (whole["output"] as readonly Json[]).filter(isJsonObject) : [];
    const output = listed.length > 0 ? listed : done;
    // Some servers stream no text and send the whole text at the end.
    if (text === "") say(outputText(output));
    const written = callable && ending === "end_turn" && !refused ? output.filter((item) => item["type"] === "function_call") : [];
    // The arguments are measured again, because a server may send arguments that it did not stream.
    const meter = argumentsMeter(bounds);
    for (const call of written) {
      meter.begin();
      meter.take(textOf(call["arguments"]));
    }
    const ids = freeCallIds(
      written.map((call) => textOf(call["call_id"])),
      transcript,
    );
    const calls = written.map((call, n) => ({
      id: ids[n] ?? "",
      ...tools.restored(textOf(call["name"]), textOf(call["arguments"]).trim() === "" ? "{}" : textOf(call["arguments"])),
    }));
    const stop = refused ? "refusal" : calls.length > 0 ? "tool_use" : ending;
    const dropped = output.some((item) => item["type"] === "function_call") && calls.length === 0;
    // A later request must not contain reasoning without the calls that it led to.
    const kept = (stop === "end_turn" || stop === "tool_use") && !dropped && (text !== "" || calls.length > 0);
    return {
      text,
      calls,
      stop,
      usage: usageOf(whole["usage"]),
      model: textOf(whole["model"]) || null,
      message: kept ? renamed(output, ids) : null,
    };
  }
}

function endingOf({ status, incomplete_details }: JsonObject): string {
  if (status !== "incomplete") return "completed";
  return isJsonObject(incomplete_details) ? textOf(incomplete_details["reason"]) : "";
}

/** Returns the items with the final ids of the calls. */
function renamed(output: readonly JsonObject[], ids: readonly string[]): readonly JsonObject[] {
  let n = 0;
  return output.map((item) => {
    if (item["type"] !== "function_call") return item;
    const id = ids[n++];
    return item["call_id"] === id ? item : { ...item, call_id: id ?? "" };
  });
}

function usageOf(usage: Json | undefined): ModelUsage | null {
  if (!isJsonObject(usage)) return null;
  const { input_tokens, output_tokens, input_tokens_details: input, output_tokens_details: output } = usage;
  if (typeof input_tokens !== "number" || typeof output_tokens !== "number") return null;
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    ...counted("cacheReadTokens", isJsonObject(input) ? input["cached_tokens"] : null),
    ...counted("cacheWriteTokens", isJsonObject(input) ? input["cache_write_tokens"] : null),
    ...counted("reasoningTokens", isJsonObject(output) ? output["reasoning_tokens"] : null),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
