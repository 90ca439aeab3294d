export type { GrantClaims, Jwks, ReceiptClaims, StoredSigningKey } from "@toolbus/contracts";
export { canonicalJson } from "./canonical-json.ts";
export { parseGrantClaims, signGrant } from "./grant.ts";
export { argumentsHash, contentHash, resultHash, secretHash, toolHash } from "./hashes.ts";
export { MAX_SIGNED_CHARS } from "./jws.ts";
export { KeyRefused } from "./key-refused.ts";
export type { KeySet } from "./key-set.ts";
export { fileKeySet, type FileKeySetOptions, httpKeySet, type HttpKeySetOptions, staticKeySet } from "./key-sources.ts";
export { generateSigningKey, publicKeySet, type Signer, signerOf } from "./keys.ts";
export { type ReceiptInput, type ReceiptVerdict, signReceipt, verifyReceipt } from "./receipt.ts";
export { openSigningKey } from "./signing-key-file.ts";
export { parseCanonicalArguments, parseStrictJson } from "./strict-json.ts";
export {
  type ExpectedGrant,
  type ForgedReason,
  type GrantInput,
  type GrantVerdict,
  type StaleReason,
  verifyGrant,
} from "./verify-grant.ts";
