export type { GrantClaims, Jwks, ReceiptClaims, StoredSigningKey } from "@toolbus/contracts";
export { chained, chainFault, linkOf, type Unchained } from "./audit-chain.ts";
export { canonicalJson } from "./canonical-json.ts";
export { signCheckpoint, verifyCheckpoint } from "./checkpoint.ts";
export { drawnRandom } from "./drawn-random.ts";
export { evidenceText, publicKeysIn, signEvidence } from "./evidence.ts";
export { parseGrantClaims, signGrant } from "./grant.ts";
export {
  answerHash,
  argumentsHash,
  contentHash,
  hasToolHash,
  planHash,
  planProblemHash,
  preparedHash,
  resultHash,
  secretHash,
  toolHash,
} from "./hashes.ts";
export { MAX_SIGNED_CHARS } from "./jws.ts";
export { KeyRefused } from "./key-refused.ts";
export { type RotationStep, rotateSealKeys, rotateSigningKeys } from "./key-rotation.ts";
export type { KeySet } from "./key-set.ts";
export { fileKeySet, httpKeySet, publicKeys, staticKeySet, unitedKeys } from "./key-sources.ts";
export { generateSigningKey, publicKeyOf, publicKeySet, type Signer, signerOf } from "./keys.ts";
export { ownKeys } from "./own-keys.ts";
export { signPlan, verifyPlan } from "./plan-proof.ts";
export { signReceipt, verifyReceipt } from "./receipt.ts";
export { openSeal, sealDocument, type SealKeys, secretTextOf } from "./seal.ts";
export { generateSealKey, openSealKeys, sealKeysOf } from "./seal-keys-file.ts";
export { sealReader } from "./seal-reader.ts";
export { seenRevisions } from "./seen-revisions.ts";
export { type Signed, signDocument, type SignedDocumentType } from "./signed-document.ts";
export { signSending, verifySending } from "./sending-proof.ts";
export { type SignedReader, signedReader } from "./signed-reader.ts";
export { type Identity, signMessage, verifySender } from "./signed-message.ts";
export { openSigningKey, readSigningKeys } from "./signing-key-file.ts";
export { parseTrustedKeys, type TrustedKeys, trustedKeys, trustedKeysFile } from "./trusted-keys.ts";
export { readPrivateFile } from "./private-file.ts";
export { parseCanonicalArguments, parseStrictJson } from "./strict-json.ts";
export { type ForgedReason, type StaleReason, plainlyForged, verifyGrant } from "./verify-grant.ts";
export { type FileVerdict, trustedRoots } from "./verdict.ts";
export { auditHeader, auditLine, verifyAudit } from "./verify-audit.ts";
export { MAX_EVIDENCE_BYTES, verifyEvidence } from "./verify-evidence.ts";
