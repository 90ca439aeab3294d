import type { ContentBlock } from "@aws-sdk/client-bedrock-runtime";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** How a turn of this wire format is marked. */
export const BEDROCK_API = "bedrock.converse";

/** The blocks as JSON. Thinking that the vendor blacked out is bytes, which stand in it as base64. */
export function payloadOf(blocks: readonly ContentBlock[]): Json {
  const written = blocks.map((block) => {
    const bytes = block.reasoningContent?.redactedContent;
    return bytes ? { reasoningContent: { redactedContent: Buffer.from(bytes).toString("base64") } } : block;
  });
  return JSON.parse(JSON.stringify(written));
}

/** The blocks that a payload holds; null for one that is none of ours. */
export function blocksOfPayload(payload: Json): readonly ContentBlock[] | null {
  if (!Array.isArray(payload)) return null;
  const items: readonly Json[] = payload;
  return items.every(isJsonObject) ? items.map(blockOf) : null;
}

function blockOf(item: JsonObject): ContentBlock {
  const reasoning = item["reasoningContent"];
  const bytes = isJsonObject(reasoning) ? reasoning["redactedContent"] : undefined;
  if (typeof bytes === "string") return { reasoningContent: { redactedContent: Buffer.from(bytes, "base64") } };
  // It came from the SDK as a block and was kept as it was.
  return structuredClone(item) as unknown as ContentBlock;
}
