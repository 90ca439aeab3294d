import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Json, JsonObject } from "@toolbus/contracts";
import { isObject } from "./strict-json.ts";

/** Secrets that only one service has: it seals with the current one, and opens what any of them sealed. */
export interface SealKeys {
  readonly current: SealKey;
  /** By id, the current one among them. */
  readonly all: ReadonlyMap<string, SealKey>;
}

/** 256 random bits, as Node keeps keys (of bytes it would make one each time), and the name by which a sealed document says which they were. */
export interface SealKey {
  readonly kid: string;
  readonly secret: KeyObject;
}

/** What a sealed document carries beside its content. */
export type Seal = {
  readonly kid: string;
  /** One above that of the document it replaces; 1 for the first. */
  readonly revision: number;
  readonly mac: string;
};

/** A document with its seal. */
export type Sealed<T> = T & { readonly seal: Seal };

/**
 * Seals a document that only its writer reads: HMAC-SHA256 over the key of the store, the content, the revision and the id of the secret. Whoever
 * can write to the store, and does not have the secret, cannot make one, change one, or put one under another key.
 */
export function sealDocument<T extends JsonObject>(
  document: { readonly key: string; readonly revision: number; readonly content: T },
  keys: SealKeys,
): Sealed<T> {
  const { key, revision, content } = document;
  const { seal: _, ...bare } = content;
  const { kid, secret } = keys.current;
  const mac = macOf([key, kid, revision, bare], secret).toString("base64url");
  return { ...content, seal: { kid, revision, mac } };
}

/**
 * A text that only the service with these secrets can make, and that is the same for the same names while the current secret is: 256 bits as base64url.
 * It is no seal of any document: seals are made of another text.
 */
export function secretTextOf(names: readonly [purpose: string, ...names: string[]], { current: { kid, secret } }: SealKeys): string {
  return createHmac("sha256", secret)
    .update(`toolbus-text\n${JSON.stringify([kid, ...names])}`)
    .digest("base64url");
}

/**
 * What was found in a document. `content` is without the seal. `unsealed`: it has none, as those of versions before this one. `unknown_key`: the
 * secret that sealed it is not in the file any more.
 */
export type OpenedSeal =
  | { readonly kind: "genuine"; readonly revision: number; readonly kid: string; readonly content: JsonObject }
  | { readonly kind: "unsealed" | "unknown_key" | "forged"; readonly detail: string };

/** Judges whether a document was sealed under this key of the store by who has these secrets. */
export function openSeal(document: { readonly key: string; readonly value: Json }, keys: SealKeys): OpenedSeal {
  const { key, value } = document;
  if (!isObject(value) || value["seal"] === undefined) return { kind: "unsealed", detail: "it has no seal" };
  const { seal, ...content } = value;
  if (!isObject(seal)) return { kind: "forged", detail: "its seal is none" };
  const { kid, revision, mac } = seal;
  if (typeof kid !== "string" || typeof mac !== "string" || typeof revision !== "number" || !Number.isSafeInteger(revision) || revision < 1)
    return { kind: "forged", detail: "its seal is none" };
  const known = keys.all.get(kid);
  if (!known) return { kind: "unknown_key", detail: `the seal key ${kid.slice(0, 40)} is not in the file of seal keys` };
  const expected = macOf([key, kid, revision, content], known.secret);
  const given = Buffer.from(mac, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { kind: "forged", detail: "its seal is of another key, content or revision" };
  return { kind: "genuine", revision, kid, content };
}

/** Over the text in which a store keeps it: what is parsed from JSON and written again is the same text, so nothing has to be sorted. */
function macOf(sealed: readonly [key: string, kid: string, revision: number, content: JsonObject], secret: KeyObject): Buffer {
  return createHmac("sha256", secret)
    .update(`toolbus-seal\n${JSON.stringify(sealed)}`)
    .digest();
}
