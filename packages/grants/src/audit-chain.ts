import { hash } from "node:crypto";
import type { ChainedRecord, ChainLink, JsonObject } from "@toolbus/contracts";
import { canonicalJson } from "./canonical-json.ts";

/** The number and the hash of the last record of a chain. The next record continues from them. */
export interface ChainEnd {
  readonly n: number;
  readonly hash: string;
}

/** A record before it has a place in a chain. */
export type Unchained = Pick<ChainedRecord, "source" | "attested" | "record">;

/**
 * Returns the record that continues a chain after `end`, or that begins a chain if `end` is null. The hash of the record covers the number, the time,
 * the tenant, the hash of the record before and the hash of the content. So nobody can change, remove or move a record without changing every later
 * hash. The content has a hash of its own, so that a link can be shown without the content.
 */
export function chained(
  end: ChainEnd | null,
  content: Unchained,
  { tenant, at }: { readonly tenant: string | null; readonly at: number },
): ChainedRecord {
  const { source, attested, record } = content;
  const link = { n: (end?.n ?? 0) + 1, at, tenant, previous: end?.hash ?? null, content: contentHashOf(content) };
  return { ...link, hash: linkHash(link), source, attested, record };
}

/** Returns the hash of a link. It covers all other fields of the link. */
export function linkHash({ n, at, tenant, previous, content }: Omit<ChainLink, "hash">): string {
  return sha256({ n, at, tenant, previous, content });
}

/** Returns the link of a record. The link proves the place of the record and does not show its content. */
export function linkOf({ n, at, tenant, previous, content, hash: own }: ChainLink): ChainLink {
  return { n, at, tenant, previous, content, hash: own };
}

/**
 * Describes where a part of a chain is broken. Returns null if the part is whole. A record may be given as its link only. `after` is the record
 * before the part, or null if the part must begin the chain. Without `after`, the first record is not compared with a record before it.
 */
export function chainFault(parts: readonly (ChainLink | ChainedRecord)[], after?: ChainEnd | null): string | null {
  let before = after;
  for (const part of parts) {
    const { n, previous } = part;
    if (before === null && (n !== 1 || previous !== null)) return `record ${n} is not the first of its chain`;
    if (before) {
      if (n !== before.n + 1) return `record ${n} does not follow record ${before.n}`;
      if (previous !== before.hash) return `record ${n} does not name the hash of record ${before.n}`;
    }
    if ("record" in part && contentHashOf(part) !== part.content) return `the content of record ${n} is not the chained one`;
    if (linkHash(part) !== part.hash) return `the hash of record ${n} is not that of its fields`;
    before = part;
  }
  return null;
}

function contentHashOf({ source, attested, record }: Unchained): string {
  return sha256({ source: { ...source }, attested, record });
}

function sha256(value: JsonObject): string {
  return `sha256-${hash("sha256", canonicalJson(value), "base64url")}`;
}
