import { hash } from "node:crypto";
import type { Json, JsonObject } from "@toolbus/contracts";
import { openJws, signJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { stableJson } from "./stable-json.ts";
import { isObject } from "./strict-json.ts";

/**
 * The kinds of documents on which services other than the writer act. Each kind has its own `typ`, so that a reader never accepts one kind as
 * another.
 */
export type SignedDocumentType = "tb-pin+jwt" | "tb-era+jwt" | "tb-probe+jwt" | "tb-origin+jwt" | "tb-removal+jwt" | "tb-mcp-servers+jwt";

/** A document with its writer's signature beside its content. `revision` is one higher than in the document that it replaces. */
export type Signed<T> = T & { readonly revision: number; readonly signature: string };

/**
 * Signs a document for exactly this key of the store. The signature covers the key, the revision and the SHA-256 of the canonical content. So the
 * signature is short for a document of any size, and a copy under another key is not genuine.
 */
export async function signDocument<T extends JsonObject>(
  typ: SignedDocumentType,
  document: { readonly key: string; readonly revision: number; readonly content: T },
  signer: Signer,
): Promise<Signed<T>> {
  const { key, revision } = document;
  const { signature: _, ...content } = { ...document.content, revision };
  // The members are in the order of the canonical text, which is then written in one pass.
  const signature = await signJws(typ, { hash: hashOf(content), key, revision }, signer);
  return { ...document.content, revision, signature };
}

/**
 * The verdict on a document. Act only on `genuine`. `unsigned` means that the document has no signature, like documents of older versions of the
 * service. `unknown_key` means that the signature cannot be checked yet.
 */
export type DocumentVerdict =
  | { readonly kind: "genuine"; readonly revision: number; readonly kid: string }
  | { readonly kind: "unsigned" | "unknown_key" | "forged"; readonly detail: string };

/** Judges whether an owner of one of these keys wrote a document under this key of the store. */
export async function verifyDocument(
  typ: SignedDocumentType,
  document: { readonly key: string; readonly value: Json },
  keys: KeySet,
): Promise<DocumentVerdict> {
  const { key, value } = document;
  if (!isObject(value) || value["signature"] === undefined) return { kind: "unsigned", detail: "it has no signature" };
  const { signature, ...content } = value;
  if (typeof signature !== "string") return forged("its signature is not a text");
  const opened = await openJws(typ, signature, keys);
  if (opened.kind === "refused") return forged(opened.detail);
  if (opened.kind === "unknown_key") return { kind: "unknown_key", detail: `the key ${opened.kid} is not known` };
  const claims = opened.payload;
  if (!isObject(claims) || claims["key"] !== key) return forged("its signature belongs to another document");
  const { revision, hash } = claims;
  if (typeof revision !== "number" || content["revision"] !== revision) return forged("its revision is not the signed one");
  if (hash !== hashOf(content)) return forged("its content is not the signed one");
  return { kind: "genuine", revision, kid: opened.kid };
}

function hashOf(content: JsonObject): string {
  return `sha256-${hash("sha256", stableJson(content), "base64url")}`;
}

function forged(detail: string): DocumentVerdict {
  return { kind: "forged", detail };
}
