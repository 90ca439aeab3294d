import { createHash, createPrivateKey, createPublicKey } from "node:crypto";
import type { StoredSigningKey } from "@toolbus/contracts";
import { prng } from "../clockwork/prng.ts";

/** Derives a signing key from a name, so that a history has the same signatures every time. Never use it elsewhere. */
export function keyFromName(name: string): StoredSigningKey {
  const seed = Buffer.from(prng(name).bytes(32));
  // PKCS #8 of an Ed25519 key is this prefix and the 32 bytes (RFC 8410).
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
    format: "der",
    type: "pkcs8",
  });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  // RFC 7638 requires the members in this order, without white space.
  const kid = createHash("sha256")
    .update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url");
  return { kty: "OKP", crv: "Ed25519", alg: "Ed25519", use: "sig", kid, x, d: seed.toString("base64url") };
}
