import { createPublicKey, type KeyObject } from "node:crypto";
import { type Jwks, Jwks as JwksSchema, type Parsed, parser, PublicJwk } from "@toolbus/contracts";
import { parseStrictJson } from "./strict-json.ts";

/** Keys by id, ready for verification. Revoked keys are not included. */
export type ImportedKeys = ReadonlyMap<string, KeyObject>;

/** Parses the text of a key set (strict JSON, at most 64 KiB). A private key or a duplicate id makes the whole set invalid. */
export function parseJwks(text: string): Parsed<Jwks> {
  const json = parseStrictJson(text);
  if (!json.ok) return json;
  const jwks = parseKeys(json.value);
  return jwks.ok ? withoutTraps(jwks.value) : jwks;
}

/** Imports the usable keys, which are Ed25519 keys that are not revoked. Keys of other kinds are ignored, as RFC 7517 requires. */
export async function importKeys(jwks: Jwks): Promise<ImportedKeys> {
  const revoked = new Set(jwks.revokedKids);
  const imported = new Map<string, KeyObject>();
  for (const entry of jwks.keys) {
    const jwk = parseUsable(entry);
    if (!jwk.ok || entry.revoked === true || revoked.has(jwk.value.kid)) continue;
    const { kty, crv, x, kid } = jwk.value;
    // The entry must not choose the algorithm. A public key can only verify.
    const key = createPublicKey({ key: { kty, crv, x }, format: "jwk" });
    if (key.asymmetricKeyType === "ed25519") imported.set(kid, key);
  }
  return imported;
}

const parseKeys = parser(JwksSchema);
const parseUsable = parser(PublicJwk);

function withoutTraps(jwks: Jwks): Parsed<Jwks> {
  const seen = new Set<string>();
  for (const [index, entry] of jwks.keys.entries()) {
    if ("d" in entry) return fault(`/keys/${index}`, "holds a private key; only public keys belong here");
    if (entry.kid === undefined) continue;
    if (seen.has(entry.kid)) return fault(`/keys/${index}/kid`, "is also the id of another key");
    seen.add(entry.kid);
  }
  return { ok: true, value: jwks };
}

function fault(path: string, message: string): Parsed<Jwks> {
  return { ok: false, problems: [{ path, message }] };
}
