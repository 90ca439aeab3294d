import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** How a turn of this wire format is marked. */
export const ANTHROPIC_API = "anthropic.messages";

/** A turn as the vendor wrote it. */
export interface OwnTurn {
  readonly content: readonly JsonObject[];
  /** The digest of the prefix of its thinking; null for a turn without any. */
  readonly prefix: string | null;
}

/** The turn in its stored form. The digest of its prefix is computed only if it contains thinking. */
export function payloadOf(content: readonly JsonObject[], prefix: () => string): Json {
  return content.some(isThinking) ? { content, prefix: prefix() } : { content };
}

/** The turn in a payload; null if the payload is not one of ours. */
export function ownTurn(payload: Json): OwnTurn | null {
  if (!isJsonObject(payload) || !Array.isArray(payload["content"])) return null;
  const content: readonly Json[] = payload["content"];
  const prefix = payload["prefix"];
  return { content: content.filter(isJsonObject), prefix: typeof prefix === "string" ? prefix : null };
}

/** True for a block that is bound to its whole prefix. */
export function isThinking({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
