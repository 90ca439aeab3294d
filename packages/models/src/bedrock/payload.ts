import type { ContentBlock } from "@aws-sdk/client-bedrock-runtime";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** The mark of a stored turn in this wire format. */
export const BEDROCK_API = "bedrock.converse";

/** A turn as the vendor wrote it. */
export interface OwnTurn {
  readonly content: readonly ContentBlock[];
  /** The digest of the turn's prefix, or null for a turn without thinking that is bound to it. */
  readonly prefix: string | null;
}

/**
 * Returns the turn in its stored form. Redacted thinking consists of bytes, which are stored as base64. The digest of the prefix is computed only if
 * the turn contains thinking that is bound to it.
 */
export function payloadOf(blocks: readonly ContentBlock[], prefix: () => string): Json {
  const written = blocks.map((block) => {
    const bytes = block.reasoningContent?.redactedContent;
    return bytes ? { reasoningContent: { redactedContent: Buffer.from(bytes).toString("base64") } } : block;
  });
  const content: Json = JSON.parse(JSON.stringify(written));
  return blocks.some(isBound) ? { content, prefix: prefix() } : { content };
}

/** Returns the turn in a payload, or null if the payload is not one of ours. */
export function ownTurn(payload: Json): OwnTurn | null {
  if (!isJsonObject(payload) || !Array.isArray(payload["content"])) return null;
  const items: readonly Json[] = payload["content"];
  if (!items.every(isJsonObject)) return null;
  const prefix = payload["prefix"];
  return { content: items.map(blockOf), prefix: typeof prefix === "string" ? prefix : null };
}

/**
 * Returns true for thinking that is valid only after its own prefix, because it is signed or redacted, as Claude's thinking is. Source:
 * docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html
 */
export function isBound({ reasoningContent: thinking }: ContentBlock): boolean {
  return thinking !== undefined && (thinking.redactedContent !== undefined || Boolean(thinking.reasoningText?.signature));
}

function blockOf(item: JsonObject): ContentBlock {
  const reasoning = item["reasoningContent"];
  const bytes = isJsonObject(reasoning) ? reasoning["redactedContent"] : undefined;
  if (typeof bytes === "string") return { reasoningContent: { redactedContent: Buffer.from(bytes, "base64") } };
  // The SDK returned this item as a block, and the store did not change it.
  return structuredClone(item) as unknown as ContentBlock;
}
