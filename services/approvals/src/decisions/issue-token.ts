import { type Approval, type DecisionToken, keys, shardOf } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import type { Outbox, Principal } from "@toolbus/runtime";
import type { Read } from "../machine/approval.ts";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import { currentToken, type TokenOf } from "./decision-tokens.ts";

/** What issues tokens. */
export interface TokenParts {
  readonly documents: ApprovalDocuments;
  readonly outbox: Outbox;
  readonly tokenOf: TokenOf;
}

/**
 * Returns the person's token and stores its hash the first time, unless the approval changed in the meantime. However often somebody looks, one
 * document is stored for each approval and approver. The token itself is not stored.
 */
export async function issueToken(
  { documents, outbox, tokenOf }: TokenParts,
  approval: Read<Approval>,
  approver: Principal,
  now: number,
): Promise<string | null> {
  const { approvalId, expiresAt } = approval.value;
  const token = currentToken(tokenOf, approval.value, approver);
  const hash = secretHash(token);
  const key = keys.token(approvalId, hash);
  const { document } = await documents.own(key, approvalId);
  if (document.kind === "genuine") return token;
  const value: DecisionToken = { approvalId, approver: approver.id, createdAt: now, expiresAt, used: null };
  const { outcome } = await outbox.commit(shardOf(approvalId), {
    op: `token:${approvalId}:${hash}:${approval.version}`,
    guards: [
      // A forged token document was reported when it was read, and this commit replaces it.
      { key, version: document.kind === "refused" ? document.version : 0 },
      { key: keys.approval(approvalId), version: approval.version },
    ],
    // The document is kept a little longer than the token, so that a late person gets "expired" and not "unknown".
    put: [{ key, value, expiresAt: expiresAt + LATE_MS }],
  });
  return outcome === "ok" ? token : null;
}

const LATE_MS = 86_400_000;
