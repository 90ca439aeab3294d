import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { type Json, type JsonObject } from "@toolbus/contracts";
import { canonicalJson } from "./canonical-json.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { isObject, parseStrictJson } from "./strict-json.ts";

/** The largest signed text, in characters. A real grant has less than a thousand. */
export const MAX_SIGNED_CHARS = 8 * 1024;

/** The kinds of signed texts. Each has its own `typ`, so that one kind never passes for another, not even under one key. */
export type SignedType =
  | "tb-grant+jwt"
  | "tb-receipt+jwt"
  | "tb-sending+jwt"
  | "tb-pin+jwt"
  | "tb-era+jwt"
  | "tb-probe+jwt"
  | "tb-origin+jwt"
  | "tb-removal+jwt"
  | "tb-message+jwt";

/** The one algorithm (RFC 9864). A header's algorithm is compared with it and never followed. */
const ALGORITHM = "Ed25519";

/** Signs a payload as compact JWS. The same payload and key give the same bytes. Throws a RangeError if the text would be too long to be read. */
export async function signJws(typ: SignedType, payload: JsonObject, signer: Signer): Promise<string> {
  const header = Buffer.from(JSON.stringify({ alg: ALGORITHM, kid: signer.kid, typ })).toString("base64url");
  const signed = `${header}.${Buffer.from(canonicalJson(payload)).toString("base64url")}`;
  // Node's own, in this thread: it needs a third of the processor time of Web Crypto and its thread pool.
  const text = `${signed}.${sign(null, Buffer.from(signed), signer.key).toString("base64url")}`;
  if (text.length > MAX_SIGNED_CHARS)
    throw new RangeError(`A ${typ} of ${text.length} characters is over the limit of ${MAX_SIGNED_CHARS}.`);
  // Services of one process read what another of them signed. They need not verify it.
  remember(text, signer.key);
  return text;
}

export type UnsignedReason = "too_large" | "malformed" | "header" | "signature";

/**
 * The result of opening a signed text. Only `opened` is proven. With `unknown_key` the payload is an unproven claim of the sender: good enough to
 * refuse the text, never to act on it.
 */
export type OpenedJws =
  | { readonly kind: "opened"; readonly kid: string; readonly payload: Json }
  | { readonly kind: "unknown_key"; readonly kid: string; readonly payload: Json }
  | { readonly kind: "refused"; readonly reason: UnsignedReason; readonly detail: string };

/**
 * Opens a compact JWS of this type. Each signature has exactly one accepted text: it refuses base64url whose spare bits are not zero, another header
 * field or a duplicate key, although a lenient reader would accept them as the same.
 */
export async function openJws(typ: SignedType, text: string, keys: KeySet): Promise<OpenedJws> {
  if (text.length > MAX_SIGNED_CHARS) return refused("too_large", `${text.length} characters, ${MAX_SIGNED_CHARS} are allowed`);
  const segments = text.split(".");
  const [header, payload, signature] = segments.map(decoded);
  if (segments.length !== 3 || !header || !payload || !signature)
    return refused("malformed", "not three segments of base64url in its one form");
  const kid = knownKeyIdOf(header, typ);
  if (kid === null) return refused("header", `the header is not exactly alg ${ALGORITHM}, typ ${typ} and a kid`);
  // What was signed or verified in this process was read strictly then.
  const content = isRemembered(text) ? (JSON.parse(utf8.decode(payload)) as Json) : jsonOf(payload);
  if (content === null) return refused("malformed", "the payload is not strict JSON");
  const key = await keys.find(kid);
  if (!key) return { kind: "unknown_key", kid, payload: content };
  // A key works with one algorithm only (`importKeys`), so the header cannot choose another one.
  if (!isVerified(text, signature, key)) return refused("signature", `the signature is not by key ${kid}`);
  return { kind: "opened", kid, payload: content };
}

/**
 * Whether this key signed this text. The result is remembered, because it cannot change: services of one process verify the same texts, and a
 * message may come twice.
 */
function isVerified(text: string, signature: Buffer, key: KeyObject): boolean {
  if (textsOf(key).has(text)) return true;
  if (!verify(null, Buffer.from(text.slice(0, text.lastIndexOf("."))), key, signature)) return false;
  remember(text, key);
  return true;
}

/** Whether any key of this process is known to have signed this text. */
function isRemembered(text: string): boolean {
  for (const texts of textsOfPublicHalf.values()) if (texts.has(text)) return true;
  return false;
}

function remember(text: string, key: KeyObject): void {
  const texts = textsOf(key);
  texts.add(text);
  if (texts.size <= MOST_REMEMBERED) return;
  const [oldest] = texts;
  if (oldest !== undefined) texts.delete(oldest);
}

/** The newest texts that a key is known to have signed, for both its halves and for every object that holds one of them. */
function textsOf(key: KeyObject): Set<string> {
  const known = textsOfObject.get(key);
  if (known) return known;
  const { x = "" } = (key.type === "private" ? createPublicKey(key) : key).export({ format: "jwk" });
  const texts = textsOfPublicHalf.get(x) ?? new Set();
  textsOfPublicHalf.set(x, texts);
  textsOfObject.set(key, texts);
  return texts;
}

const textsOfObject = new WeakMap<KeyObject, Set<string>>();
/** At least as many as the keys that this process signs with or trusts. */
const textsOfPublicHalf = new Map<string, Set<string>>();
/** Texts remembered for each key. With texts of the usual size they need a quarter of a megabyte. */
const MOST_REMEMBERED = 256;

/** The bytes of a segment; null if it is empty or not the exact encoding of these bytes. */
function decoded(segment: string): Buffer | null {
  const bytes = Buffer.from(segment, "base64url");
  // At the end of a signature, four characters of the 64 carry the same bytes. Node also skips characters that are not base64url.
  return bytes.length > 0 && bytes.toString("base64url") === segment ? bytes : null;
}

/** As `keyIdOf`. There are only as many headers as keys and kinds, so each is parsed once. */
function knownKeyIdOf(bytes: Buffer, typ: SignedType): string | null {
  const header = `${typ} ${bytes.toString("latin1")}`;
  const known = keyIds.get(header);
  if (known !== undefined) return known;
  const kid = keyIdOf(bytes, typ);
  if (kid !== null) {
    if (keyIds.size === MOST_REMEMBERED) keyIds.clear();
    keyIds.set(header, kid);
  }
  return kid;
}

const keyIds = new Map<string, string>();

/** The key id of a header that has exactly our fields, or null. */
function keyIdOf(bytes: Buffer, typ: SignedType): string | null {
  const header = jsonOf(bytes);
  if (header === null || !isObject(header)) return null;
  const { alg, kid } = header;
  if (Object.keys(header).sort().join() !== "alg,kid,typ" || alg !== ALGORITHM || header["typ"] !== typ) return null;
  return typeof kid === "string" && /^[\x21-\x7e]{1,200}$/.test(kid) ? kid : null;
}

/** Strict JSON of these bytes, or null. A payload of null is never ours either. */
function jsonOf(bytes: Buffer): Json {
  try {
    const parsed = parseStrictJson(utf8.decode(bytes));
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function refused(reason: UnsignedReason, detail: string): OpenedJws {
  return { kind: "refused", reason, detail };
}
