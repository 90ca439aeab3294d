import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** The mark of a stored turn in this wire format. */
export const ANTHROPIC_API = "anthropic.messages";

/** A turn as the vendor wrote it. */
export interface OwnTurn {
  readonly content: readonly JsonObject[];
  /** The digest of the prefix of its thinking, or null for a turn without thinking. */
  readonly prefix: string | null;
}

/** Returns the turn in its stored form. It computes the digest of the prefix only if the turn contains thinking. */
export function payloadOf(content: readonly JsonObject[], prefix: () => string): Json {
  return content.some(isThinking) ? { content, prefix: prefix() } : { content };
}

/** Returns the turn in a payload, or null if the payload is not one of ours. */
export function ownTurn(payload: Json): OwnTurn | null {
  if (!isJsonObject(payload) || !Array.isArray(payload["content"])) return null;
  const content: readonly Json[] = payload["content"];
  const prefix = payload["prefix"];
  return { content: content.filter(isJsonObject), prefix: typeof prefix === "string" ? prefix : null };
}

/** Returns true for a block that is bound to its whole prefix. */
export function isThinking({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
