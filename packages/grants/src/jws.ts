import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { type Json, type JsonObject } from "@toolbus/contracts";
import { canonicalJson } from "./canonical-json.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { isObject, parseStrictJson } from "./strict-json.ts";

/** The maximum length of a signed text, in characters. A real grant has fewer than a thousand. */
export const MAX_SIGNED_CHARS = 8 * 1024;

/** The kinds of signed texts. Each kind has its own `typ`, so that a reader never accepts one kind as another, even if one key signs both. */
export type SignedType =
  | "tb-grant+jwt"
  | "tb-receipt+jwt"
  | "tb-sending+jwt"
  | "tb-plan+jwt"
  | "tb-pin+jwt"
  | "tb-era+jwt"
  | "tb-probe+jwt"
  | "tb-origin+jwt"
  | "tb-removal+jwt"
  | "tb-mcp-servers+jwt"
  | "tb-message+jwt"
  | "tb-checkpoint+jwt"
  | "tb-evidence+jwt";

/** The only accepted algorithm (RFC 9864). Every header must name this algorithm. */
const ALGORITHM = "Ed25519";

/** Signs a payload as a compact JWS. The same payload and key give the same bytes. Throws a RangeError if the text is too long for a reader. */
export async function signJws(typ: SignedType, payload: JsonObject, signer: Signer): Promise<string> {
  const signed = `${headerOf(typ, signer.kid)}.${Buffer.from(canonicalJson(payload)).toString("base64url")}`;
  // Node's `sign` runs in this thread. Web Crypto uses a thread pool and needs three times as much processor time.
  const text = `${signed}.${sign(null, Buffer.from(signed), signer.key).toString("base64url")}`;
  if (text.length > MAX_SIGNED_CHARS)
    throw new RangeError(`A ${typ} of ${text.length} characters is over the limit of ${MAX_SIGNED_CHARS}.`);
  // Another service of this process may read the text. Then it does not have to verify the signature again.
  remember(text, signer.key);
  return text;
}

/** Returns the first segment of a text of this type and key. A process signs with few keys, so each header is made once and remembered. */
function headerOf(typ: SignedType, kid: string): string {
  const name = `${typ} ${kid}`;
  const known = headers.get(name);
  if (known !== undefined) return known;
  const header = Buffer.from(JSON.stringify({ alg: ALGORITHM, kid, typ })).toString("base64url");
  if (headers.size === MOST_REMEMBERED) headers.clear();
  headers.set(name, header);
  return header;
}

const headers = new Map<string, string>();

export type UnsignedReason = "too_large" | "malformed" | "header" | "signature";

/**
 * The result of opening a signed text. Only `opened` is proven. With `unknown_key`, the payload is an unproven claim of the sender. A reader may
 * refuse the text because of the claim, but must never act on the claim.
 */
export type OpenedJws =
  | { readonly kind: "opened"; readonly kid: string; readonly payload: Json }
  | { readonly kind: "unknown_key"; readonly kid: string; readonly payload: Json }
  | { readonly kind: "refused"; readonly reason: UnsignedReason; readonly detail: string };

/**
 * Opens a compact JWS of this type. Each signature has exactly one accepted text. So this function refuses base64url whose spare bits are not zero,
 * additional header fields and duplicate keys, although a lenient reader would ignore them.
 */
export async function openJws(typ: SignedType, text: string, keys: KeySet): Promise<OpenedJws> {
  if (text.length > MAX_SIGNED_CHARS) return refused("too_large", `${text.length} characters, ${MAX_SIGNED_CHARS} are allowed`);
  const segments = text.split(".");
  const [header, payload, signature] = segments.map(decoded);
  if (segments.length !== 3 || !header || !payload || !signature)
    return refused("malformed", "not three segments of base64url in its one form");
  const kid = knownKeyIdOf(header, typ);
  if (kid === null) return refused("header", `the header is not exactly alg ${ALGORITHM}, typ ${typ} and a kid`);
  // A text that this process signed or verified is known to be strict JSON, so a plain parse is enough.
  const content = isRemembered(text) ? (JSON.parse(utf8.decode(payload)) as Json) : jsonOf(payload);
  if (content === null) return refused("malformed", "the payload is not strict JSON");
  const key = await keys.find(kid);
  if (!key) return { kind: "unknown_key", kid, payload: content };
  // A key works with one algorithm only (`importKeys`), so the header cannot choose another one.
  if (!isVerified(text, signature, key)) return refused("signature", `the signature is not by key ${kid}`);
  return { kind: "opened", kid, payload: content };
}

/**
 * Returns whether this key signed this text. A positive result is remembered, because it cannot change. Services of one process verify the same
 * texts, and a message may arrive twice.
 */
function isVerified(text: string, signature: Buffer, key: KeyObject): boolean {
  if (textsOf(key).has(text)) return true;
  if (!verify(null, Buffer.from(text.slice(0, text.lastIndexOf("."))), key, signature)) return false;
  remember(text, key);
  return true;
}

/** Returns whether this process remembers a key that signed this text. */
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

/**
 * Returns the newest texts that are known to be signed with this key. The set of texts belongs to the public half of the key. So both halves, and all
 * key objects of the same key, share one set.
 */
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
/** The texts by the public half of their key, with one entry for each key that this process signed or verified with. */
const textsOfPublicHalf = new Map<string, Set<string>>();
/** The number of texts that are remembered for each key. Texts of the usual size need a quarter of a megabyte. */
const MOST_REMEMBERED = 256;

/** Returns the bytes of a segment, or null if it is empty or not the exact encoding of these bytes. */
function decoded(segment: string): Buffer | null {
  const bytes = Buffer.from(segment, "base64url");
  // The last character of a signature has four spare bits, so 16 different characters decode to the same bytes. Node also skips characters that are
  // not base64url.
  return bytes.length > 0 && bytes.toString("base64url") === segment ? bytes : null;
}

/** Returns the same as `keyIdOf`. Few different headers are valid, so each valid header is parsed once and remembered. */
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

/** Returns the key id of a header that has exactly our fields, else null. */
function keyIdOf(bytes: Buffer, typ: SignedType): string | null {
  const header = jsonOf(bytes);
  if (header === null || !isObject(header)) return null;
  const { alg, kid } = header;
  if (Object.keys(header).sort().join() !== "alg,kid,typ" || alg !== ALGORITHM || header["typ"] !== typ) return null;
  return typeof kid === "string" && /^[\x21-\x7e]{1,200}$/.test(kid) ? kid : null;
}

/** Parses these bytes as strict JSON. Returns null if they are not strict JSON. This is unambiguous, because we never sign a payload of null. */
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
