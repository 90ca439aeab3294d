import { createHash } from "node:crypto";
import type { Answered, Asked } from "../model-server.ts";

/** The brain's answer, completed: every call has an id and the text of its arguments. */
export interface Turn {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly raw: string }[];
  readonly stop: Exclude<Answered["stop"], undefined>;
  readonly usage: TurnUsage;
}

/** Tokens, by a simple count: four characters are one. */
export interface TurnUsage {
  /** All tokens of the prompt. */
  readonly prompt: number;
  /** Those of them that come from a cache: all before the last turn of the model, from the second turn on. */
  readonly cached: number;
  /** All tokens of the reply, including thinking. */
  readonly output: number;
  readonly thinking: number;
}

/**
 * The turn in a form that every protocol can write. Ids are derived from the request's text, so the same request gets the same answer and another
 * one gets other ids.
 */
export function turnOf(answered: Answered, asked: Asked, requestText: string, idOf: (digest: string) => string): Turn {
  const calls = (answered.calls ?? []).map((call, index) => ({
    id: call.id ?? idOf(digestOf(`${requestText}#${index}`)),
    name: call.name,
    raw: call.raw ?? JSON.stringify(call.arguments),
  }));
  const text = answered.text ?? "";
  const thinking = answered.thinking ?? "";
  return {
    text,
    thinking,
    calls,
    stop: answered.stop ?? (calls.length > 0 ? "calls" : "end"),
    usage: {
      ...promptTokens(asked),
      output: approximateTokens(thinking + text + calls.map((call) => call.name + call.raw).join("")),
      thinking: thinking === "" ? 0 : approximateTokens(thinking),
    },
  };
}

/** The tokens of a prompt, and how many of them were in the previous turn as well. */
export function promptTokens({ system, tools, messages }: Asked): { readonly prompt: number; readonly cached: number } {
  const lastTurn = messages.findLastIndex((message) => message.role === "assistant");
  return {
    prompt: approximateTokens(JSON.stringify([system, tools, messages])),
    cached: lastTurn < 0 ? 0 : approximateTokens(JSON.stringify([system, tools, messages.slice(0, lastTurn)])),
  };
}

/** Letters and digits that are derived from the text. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** About how many tokens a text has: one for four characters, and at least one. */
function approximateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}
