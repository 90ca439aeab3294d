import type { Json, JsonObject } from "@toolbus/contracts";
import { listOf, objectOf, textOf } from "../wire/fields.ts";
import { signatureOf } from "../wire/thinking-signature.ts";
import { digestOf } from "../wire/turn.ts";
import type { AnthropicAsk } from "./anthropic-ask.ts";

/**
 * The signature of thinking that answers these first messages of the request: one half for the text, one for everything before it. Source:
 * platform.claude.com/docs/en/build-with-claude/preserved-thinking.
 */
export function thinkingSignature(thinking: string, ask: AnthropicAsk, messages: number): string {
  return `${textHalf(thinking, ask)}.${prefixHalf(ask, messages)}`;
}

/** True when this model wrote this text. */
export function isOwnThinking(block: JsonObject, ask: AnthropicAsk): boolean {
  return textOf(block["signature"]).startsWith(`${textHalf(textOf(block["thinking"]), ask)}.`);
}

/** True when system, tools and the messages before it are unchanged since the thinking was written. */
export function isPrefixUnchanged(block: JsonObject, ask: AnthropicAsk, messages: number): boolean {
  return textOf(block["signature"]).endsWith(`.${prefixHalf(ask, messages)}`);
}

function textHalf(thinking: string, { body }: AnthropicAsk): string {
  return signatureOf(thinking, textOf(body["model"]));
}

/** The position of a cache breakpoint is not part of the content. */
function prefixHalf({ body, messages }: AnthropicAsk, count: number): string {
  const system =
    typeof body["system"] === "string"
      ? body["system"]
      : listOf(body["system"])
          .map((block) => textOf(objectOf(block)["text"]))
          .join("");
  const said = messages.slice(0, count).map(({ role, blocks }) => [role, withoutCaching([...blocks])]);
  return digestOf(JSON.stringify([system, withoutCaching(body["tools"] ?? []), said])).slice(0, 16);
}

function withoutCaching(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutCaching);
  if (typeof value !== "object" || value === null) return value;
  const { cache_control: _breakpoint, ...rest } = objectOf(value);
  return rest;
}
