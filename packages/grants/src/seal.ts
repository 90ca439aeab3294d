import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Json, JsonObject } from "@toolbus/contracts";
import { isObject } from "./strict-json.ts";

/** The secrets of one service. It seals with the current secret, and opens documents that any of them sealed. */
export interface SealKeys {
  readonly current: SealKey;
  /** All secrets by id, including the current one. */
  readonly all: ReadonlyMap<string, SealKey>;
}

/**
 * A secret of 256 random bits, and its id, which a sealed document names. The secret is a key object. If the secret were bytes, Node would create a
 * key object at each use.
 */
export interface SealKey {
  readonly kid: string;
  readonly secret: KeyObject;
}

/** The seal of a document, which is stored beside its content. */
export type Seal = {
  readonly kid: string;
  /** The revision is 1 for a new document, and increases by one with each replacement. */
  readonly revision: number;
  readonly mac: string;
};

/** A document with its seal. */
export type Sealed<T> = T & { readonly seal: Seal };

/**
 * Seals a document that only its writer reads, with HMAC-SHA256 over the key of the store, the content, the revision and the id of the secret. An
 * attacker who can write to the store but does not have the secret cannot create a document, change it or move it to another key.
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
 * Returns a text that only the service with these secrets can compute: 256 bits as base64url. The same names give the same text while the current
 * secret stays the same. The text is never the seal of a document, because the input of a seal has another prefix.
 */
export function secretTextOf(names: readonly [purpose: string, ...names: string[]], { current: { kid, secret } }: SealKeys): string {
  return createHmac("sha256", secret)
    .update(`toolbus-text\n${JSON.stringify([kid, ...names])}`)
    .digest("base64url");
}

/**
 * The verdict on a document. `content` does not include the seal. `unsealed` means that the document has no seal, like documents of older versions of
 * the service. `unknown_key` means that the file of seal keys does not have the secret.
 */
export type OpenedSeal =
  | { readonly kind: "genuine"; readonly revision: number; readonly kid: string; readonly content: JsonObject }
  | { readonly kind: "unsealed" | "unknown_key" | "forged"; readonly detail: string };

/** Judges whether an owner of these secrets sealed a document under this key of the store. */
export function openSeal(document: { readonly key: string; readonly value: Json }, keys: SealKeys): OpenedSeal {
  const { key, value } = document;
  if (!isObject(value) || value["seal"] === undefined) return { kind: "unsealed", detail: "it has no seal" };
  const { seal, ...content } = value;
  if (!isObject(seal)) return { kind: "forged", detail: "its seal is not valid" };
  const { kid, revision, mac } = seal;
  if (typeof kid !== "string" || typeof mac !== "string" || typeof revision !== "number" || !Number.isSafeInteger(revision) || revision < 1)
    return { kind: "forged", detail: "its seal is not valid" };
  const known = keys.all.get(kid);
  if (!known) return { kind: "unknown_key", detail: `the seal key ${kid.slice(0, 40)} is not in the file of seal keys` };
  const expected = macOf([key, kid, revision, content], known.secret);
  const given = Buffer.from(mac, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { kind: "forged", detail: "its seal belongs to another key, content or revision" };
  return { kind: "genuine", revision, kid, content };
}

/** Computes the MAC over the JSON text in the store. Parsing this text and writing it again gives the same text, so nothing has to be sorted. */
function macOf(sealed: readonly [key: string, kid: string, revision: number, content: JsonObject], secret: KeyObject): Buffer {
  return createHmac("sha256", secret)
    .update(`toolbus-seal\n${JSON.stringify(sealed)}`)
    .digest();
}
