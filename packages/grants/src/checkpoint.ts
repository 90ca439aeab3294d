import { CheckpointClaims, type CheckpointView, GRANT_ISSUER, parser } from "@toolbus/contracts";
import { signJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import type { Signer } from "./keys.ts";
import { type ClaimsVerdict, openClaims } from "./open-claims.ts";

const CHECKPOINT_TYPE = "tb-checkpoint+jwt";

/**
 * Signs a checkpoint: at this time, the chain of this tenant had this record with this hash. The checkpoint covers every record up to this one,
 * because each record's hash covers the record before.
 */
export async function signCheckpoint({ tenant, n, hash, at }: Omit<CheckpointView, "signed">, signer: Signer): Promise<CheckpointView> {
  const claims: CheckpointClaims = { iss: GRANT_ISSUER, tenant, n, hash, at };
  return { tenant, n, hash, at, signed: await signJws(CHECKPOINT_TYPE, claims, signer) };
}

/** Judges whether approvals signed this checkpoint, and whether the fields beside the signature are the signed ones. */
export function verifyCheckpoint(checkpoint: CheckpointView, keys: KeySet): Promise<ClaimsVerdict<CheckpointClaims>> {
  return openClaims({
    typ: CHECKPOINT_TYPE,
    text: checkpoint.signed,
    keys,
    what: "a checkpoint",
    parse,
    mismatch(claims) {
      const wrong = FIELDS.filter((field) => claims[field] !== checkpoint[field]);
      return wrong.length === 0 ? null : `it signs another ${wrong.join(", ")}`;
    },
  });
}

const FIELDS = ["tenant", "n", "hash", "at"] as const;
const parse = parser(CheckpointClaims);
