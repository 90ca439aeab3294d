import type { Json, JsonObject } from "@toolbus/contracts";
import { listOf, objectOf, textOf } from "../wire/fields.ts";
import { signatureOf } from "../wire/thinking-signature.ts";
import { digestOf } from "../wire/turn.ts";
import type { AnthropicAsk } from "./anthropic-ask.ts";

/**
 * Returns the signature of thinking that answers the first `messages` messages of the request. One half covers the text, and the other half covers
 * everything before it. Source: platform.claude.com/docs/en/build-with-claude/preserved-thinking.
 */
export function thinkingSignature(thinking: string, ask: AnthropicAsk, messages: number): string {
  return `${textHalf(thinking, ask)}.${prefixHalf(ask, messages)}`;
}

/** Returns true if this model wrote the text of this block. */
export function isOwnThinking(block: JsonObject, ask: AnthropicAsk): boolean {
  return textOf(block["signature"]).startsWith(`${textHalf(textOf(block["thinking"]), ask)}.`);
}

/** Returns true if the system prompt, the tools and the earlier messages are unchanged since the model wrote the thinking. */
export function isPrefixUnchanged(block: JsonObject, ask: AnthropicAsk, messages: number): boolean {
  return textOf(block["signature"]).endsWith(`.${prefixHalf(ask, messages)}`);
}

function textHalf(thinking: string, { body }: AnthropicAsk): string {
  return signatureOf(thinking, textOf(body["model"]));
}

/** Signs the prefix without its cache breakpoints, because their position is not part of the content. */
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
