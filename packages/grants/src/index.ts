export type { GrantClaims, Jwks, ReceiptClaims, SendingClaims, StoredSigningKey } from "@toolbus/contracts";
export { canonicalJson } from "./canonical-json.ts";
export { drawnRandom } from "./drawn-random.ts";
export { parseGrantClaims, signGrant } from "./grant.ts";
export { answerHash, argumentsHash, contentHash, hasToolHash, preparedHash, resultHash, secretHash, toolHash } from "./hashes.ts";
export { MAX_SIGNED_CHARS } from "./jws.ts";
export { KeyRefused } from "./key-refused.ts";
export { type Rotated, type RotationStep, rotateSealKeys, rotateSigningKeys } from "./key-rotation.ts";
export type { KeySet } from "./key-set.ts";
export {
  fileKeySet,
  type FileKeySetOptions,
  httpKeySet,
  type HttpKeySetOptions,
  publicKeys,
  staticKeySet,
  unitedKeys,
} from "./key-sources.ts";
export { generateSigningKey, publicKeyOf, publicKeySet, type Signer, signerOf } from "./keys.ts";
export { type OwnKeys, ownKeys } from "./own-keys.ts";
export { type ReceiptInput, type ReceiptVerdict, signReceipt, verifyReceipt } from "./receipt.ts";
export { openSeal, type OpenedSeal, type Seal, type Sealed, sealDocument, type SealKey, type SealKeys, secretTextOf } from "./seal.ts";
export { generateSealKey, openSealKeys, sealKeysOf } from "./seal-keys-file.ts";
export { type SealReader, sealReader } from "./seal-reader.ts";
export { type SeenRevisions, seenRevisions } from "./seen-revisions.ts";
export { type DocumentVerdict, type Signed, signDocument, type SignedDocumentType, verifyDocument } from "./signed-document.ts";
export { type SendingInput, type SendingVerdict, signSending, verifySending } from "./sending-proof.ts";
export { type SignedReader, signedReader, type SignedVerdict } from "./signed-reader.ts";
export { type Identity, type SenderVerdict, signMessage, verifySender } from "./signed-message.ts";
export { openSigningKey, readSigningKeys } from "./signing-key-file.ts";
export { parseTrustedKeys, type TrustedKeys, trustedKeys, trustedKeysFile } from "./trusted-keys.ts";
export { readPrivateFile } from "./private-file.ts";
export { parseCanonicalArguments, parseStrictJson } from "./strict-json.ts";
export {
  type ExpectedGrant,
  type ForgedReason,
  type GrantInput,
  type GrantVerdict,
  type StaleReason,
  forgedAtSight,
  verifyGrant,
} from "./verify-grant.ts";
