import { hash } from "node:crypto";
import { isJsonObject, type Json } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";

/** Returns the hash of a request's content. The order of its fields does not matter. */
export function requestHash(body: Json): string {
  return `sha256-${hash("sha256", JSON.stringify(sorted(body)), "hex")}`;
}

/** Returns the hash of this principal's `Idempotency-Key`, or undefined without one. */
export function keyHashOf({ tenant, id }: Principal, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  return hash("sha256", JSON.stringify([tenant, id, key]), "base64url");
}

function sorted(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value ?? null;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, part]) => [name, sorted(part)]));
}
