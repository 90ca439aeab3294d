import { createHash } from "node:crypto";
import type { Answered, Asked } from "../model-server.ts";

/** The brain's answer in its complete form. Every call has an id and the text of its arguments. */
export interface Turn {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly raw: string }[];
  readonly stop: Exclude<Answered["stop"], undefined>;
  readonly usage: TurnUsage;
}

/** The tokens of a turn by a simple count, in which four characters are one token. */
export interface TurnUsage {
  /** All tokens of the prompt. */
  readonly prompt: number;
  /** The tokens of the prompt that were read from a cache. From the model's second turn on, they are all tokens before its last turn. */
  readonly cached: number;
  /** All tokens of the reply, including thinking. */
  readonly output: number;
  readonly thinking: number;
}

/**
 * Returns the turn in a form that every protocol can write. Ids are derived from the request's text, so the same request always has the same ids and
 * another request has other ids.
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

/** Returns the number of tokens in a prompt and how many of them were already in the previous turn. */
export function promptTokens({ system, tools, messages }: Asked): { readonly prompt: number; readonly cached: number } {
  const lastTurn = messages.findLastIndex((message) => message.role === "assistant");
  return {
    prompt: approximateTokens(JSON.stringify([system, tools, messages])),
    cached: lastTurn < 0 ? 0 : approximateTokens(JSON.stringify([system, tools, messages.slice(0, lastTurn)])),
  };
}

/** Returns the SHA-256 of the text in hexadecimal form. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns about how many tokens a text has, with four characters per token and at least one token. */
function approximateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}
