import { createHash } from "node:crypto";
import { isJsonObject, type Json } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";

/** Returns the hash of a request's content. The order of its fields does not matter. */
export function requestHash(body: Json): string {
  return `sha256-${createHash("sha256")
    .update(JSON.stringify(sorted(body)))
    .digest("hex")}`;
}

/** Returns the hash of this principal's `Idempotency-Key`, or undefined without one. */
export function keyHashOf({ tenant, id }: Principal, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([tenant, id, key]))
    .digest("base64url");
}

function sorted(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value ?? null;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, part]) => [name, sorted(part)]));
}
