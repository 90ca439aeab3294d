import type { Json, JsonObject } from "@toolbus/contracts";
import type { RedisReply } from "../servers/redis-client.ts";

// The form of a document in Redis: a head of 98 bytes, of which the first 16 are its version, then JSON.
const HEAD = 98;
const NEVER_OVER = " ".repeat(26);

/** The raw text of a document in Redis; null if there is none. */
export function textOf(reply: RedisReply): string | null {
  return typeof reply === "string" ? reply : null;
}

/** The content of a document. Throws if it does not exist, or was removed. */
export function valueOf(key: string, text: string | null): JsonObject {
  if (text === null || text.length <= HEAD) throw new Error(`There is no ${key}.`);
  return JSON.parse(text.slice(HEAD)) as JsonObject;
}

/** The same document with another value and an unchanged head, so that the head does not show the change. */
export function withValue(before: string | null, value: Json): string {
  const first = "1".padStart(16, "0");
  const head = before?.slice(0, HEAD) ?? `${first}${first}${NEVER_OVER}${"f".repeat(40)}`;
  return head + JSON.stringify(value);
}
