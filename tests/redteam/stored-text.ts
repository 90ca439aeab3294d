import type { Json, JsonObject } from "@toolbus/contracts";
import type { RedisReply } from "../servers/redis-client.ts";

// A document in Redis has a head of 98 bytes and then JSON. The first 16 bytes of the head are the document's version.
const HEAD = 98;
const NEVER_OVER = " ".repeat(26);

/** Returns the raw text of a document in Redis, or null if the document does not exist. */
export function textOf(reply: RedisReply): string | null {
  return typeof reply === "string" ? reply : null;
}

/** Returns the content of a document. Throws if the document does not exist or was removed. */
export function valueOf(key: string, text: string | null): JsonObject {
  if (text === null || text.length <= HEAD) throw new Error(`There is no ${key}.`);
  return JSON.parse(text.slice(HEAD)) as JsonObject;
}

/** Returns the document with another value and an unchanged head. So the version in the head does not show that the value was changed. */
export function withValue(before: string | null, value: Json): string {
  const first = "1".padStart(16, "0");
  const head = before?.slice(0, HEAD) ?? `${first}${first}${NEVER_OVER}${"f".repeat(40)}`;
  return head + JSON.stringify(value);
}

/** Returns the document with a version that no commit has reached. A reader of the registry takes such a document as changed at each read. */
export function withLaterVersion(text: string): string {
  return String(Number(text.slice(0, 16)) + 1_000_000_000).padStart(16, "0") + text.slice(16);
}
