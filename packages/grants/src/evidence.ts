import { hash } from "node:crypto";
import {
  type ApprovalEvidence,
  type CallEvidence,
  EVIDENCE_FORMAT,
  type EvidenceClaims,
  type EvidenceFile,
  type EvidenceIssuer,
  type Json,
  type Jwks,
  parseEvidenceClaims,
  type PublicJwk,
} from "@toolbus/contracts";
import { canonicalJson } from "./canonical-json.ts";
import { signJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { type ClaimsVerdict, openClaims } from "./open-claims.ts";

const EVIDENCE_TYPE = "tb-evidence+jwt";

/**
 * Signs a service's statement about its part of the evidence. Throws a TypeError for a part with a lone surrogate, which canonical JSON cannot
 * contain.
 */
export function signEvidence(
  iss: EvidenceIssuer,
  { callId, part, at }: { readonly callId: string; readonly part: Json; readonly at: number },
  signer: Signer,
): Promise<string> {
  const claims: EvidenceClaims = { iss, callId, hash: canonicalHash(part), at };
  return signJws(EVIDENCE_TYPE, claims, signer);
}

/** Judges whether this service made this statement about this part. */
export function verifyEvidencePart(
  iss: EvidenceIssuer,
  { part, callId, statement }: { readonly part: Json; readonly callId: string; readonly statement: string },
  keys: KeySet,
): Promise<ClaimsVerdict<EvidenceClaims>> {
  return openClaims({
    typ: EVIDENCE_TYPE,
    text: statement,
    keys,
    what: "a statement about evidence",
    parse: parseEvidenceClaims,
    mismatch(claims) {
      if (claims.iss !== iss) return `it is a statement of ${claims.iss}`;
      if (claims.callId !== callId) return `it is about the call ${claims.callId}`;
      return claims.hash === canonicalHash(part) ? null : "the part was changed after it was signed";
    },
  });
}

/** Returns the text of an evidence file. */
export function evidenceText(approvals: Omit<ApprovalEvidence, "chained">, gateway: CallEvidence | null): string {
  const { part, statement, keys } = approvals;
  const file = { format: EVIDENCE_FORMAT, approvals: { part, statement }, gateway, keys: { keys: publicKeysIn(keys) } } as const;
  return canonicalJson({ ...file, checksum: checksumOf(file as unknown as Json) } as unknown as Json);
}

/** Returns the checksum of a file's other parts. */
export function checksumOf(parts: Omit<EvidenceFile, "checksum"> | Json): string {
  return canonicalHash(parts as unknown as Json);
}

/** Returns the Ed25519 keys of a set, with only the fields that a verifier needs. */
export function publicKeysIn({ keys }: Jwks): PublicJwk[] {
  return keys.flatMap(({ kty, crv, x, kid, revoked }) =>
    kty === "OKP" && crv === "Ed25519" && x !== undefined && kid !== undefined && revoked !== true
      ? [{ kty, crv, x, kid, alg: "Ed25519", use: "sig" } as const]
      : [],
  );
}

export function canonicalHash(value: Json): string {
  return `sha256-${hash("sha256", canonicalJson(value), "base64url")}`;
}
