import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import {
  type Jwks,
  type PublicJwk,
  type StoredSigningKey,
  StoredSigningKey as StoredSigningKeySchema,
  jsonParser,
} from "@toolbus/contracts";
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { KeyRefused } from "./key-refused.ts";

/** A private key with its id, which signs grants, receipts, documents or messages. `signerOf` creates it. Printing a signer does not show the key. */
export interface Signer {
  /** The key's RFC 7638 thumbprint, by which verifiers find its public half. */
  readonly kid: string;
  readonly key: KeyObject;
}

/** Generates an Ed25519 key from the system's randomness. */
export async function generateSigningKey(): Promise<StoredSigningKey> {
  const { privateKey } = await generateKeyPair("Ed25519", { extractable: true });
  const { x, d } = await exportJWK(privateKey);
  if (x === undefined || d === undefined) throw new Error("The new Ed25519 key has no parts to store.");
  const kid = await thumbprint(x);
  return { kty: "OKP", crv: "Ed25519", alg: "Ed25519", use: "sig", kid, x, d };
}

/** Returns a signer with this key. Throws `KeyRefused` if the parts of the key do not belong together, because nobody could verify its signatures. */
export async function signerOf(stored: StoredSigningKey): Promise<Signer> {
  const { kty, crv, x, d, kid } = stored;
  const key = createPrivateKey({ key: { kty, crv, x, d }, format: "jwk" });
  if (createPublicKey(key).export({ format: "jwk" }).x !== x)
    throw new KeyRefused(`The public half of signing key ${kid} belongs to another key.`);
  if ((await thumbprint(x)) !== kid) throw new KeyRefused(`The id of signing key ${kid} is not the thumbprint of its public half.`);
  return { kid, key };
}

/** Returns the public halves of these keys, as they are published. */
export function publicKeySet(stored: readonly StoredSigningKey[]): Jwks {
  return { keys: stored.map(({ kty, crv, x, kid, alg, use }) => ({ kty, crv, x, kid, alg, use })) };
}

/** Returns the public half of a signer's key. */
export function publicKeyOf({ kid, key }: Signer): PublicJwk {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return { kty: "OKP", crv: "Ed25519", x, kid, alg: "Ed25519", use: "sig" };
}

/** Parses the text of a stored signing key. */
export const parseSigningKey = jsonParser(StoredSigningKeySchema);

function thumbprint(x: string): Promise<string> {
  return calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x });
}
