import {
  type Approval,
  type ApprovalEvidence,
  approvalCallId,
  type ApprovalPart,
  callParts,
  type EvidenceRecords,
  type Json,
  type JsonObject,
  type Jwks,
  keys,
  parsePin,
  type Pin,
} from "@toolbus/contracts";
import { type KeySet, linkOf, publicKeysIn, signEvidence, signGrant, type Signer } from "@toolbus/grants";
import type { RunOrigin } from "@toolbus/contracts";
import { grantClaims } from "../answers/grant-claims.ts";
import type { NotDecided } from "../decisions/decision-outcome.ts";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import type { SealedStore } from "../sealed/sealed-store.ts";
import type { ChainReader } from "./chain-reader.ts";
import { wellFormed } from "./well-formed.ts";

export interface EvidenceOptions {
  readonly sealed: SealedStore;
  readonly documents: Pick<ApprovalDocuments, "read">;
  readonly chains: ChainReader;
  readonly signer: Signer;
  /** The public keys of approvals. */
  readonly jwks: Jwks;
  /** The keys with which this process verifies the gateway's signatures. */
  readonly gatewayKeys: KeySet;
}

/**
 * Returns what approvals knows about a write, signed, for somebody who checks it years later without this system. Returns null if the tenant has no
 * such approval, and the reason if the stored approval is not valid.
 */
export type ApprovalEvidenceOf = (approvalId: string, tenant: string) => Promise<ApprovalEvidence | NotDecided | null>;

export function approvalEvidence({ sealed, documents, chains, signer, jwks, gatewayKeys }: EvidenceOptions): ApprovalEvidenceOf {
  return async (approvalId, tenant) => {
    const callId = approvalCallId(approvalId);
    const { now, approval: read, refused, origin } = await documents.read(approvalId, callParts(callId).runId);
    if (refused)
      return { kind: "no", why: "damaged", reason: "The stored approval is not the one that the approvals service stored last." };
    const approval = read?.value;
    if (approval?.tenant !== tenant) return null;
    const { pin, receiptKeys } = await pinOf(approval);
    const audit = await recordsOf(approval);
    const part: ApprovalPart = {
      callId,
      approvalId,
      tenant,
      approval: shownApproval(approval),
      arguments: approval.arguments,
      origin: origin as unknown as JsonObject | null,
      pin: pin as unknown as JsonObject | null,
      grant: await grantOf(approval, now),
      audit,
      gatewayKeys: await keysOf(origin),
      receiptKeys: [...receiptKeys],
    };
    const statement = await signEvidence("tb-approvals", { callId, part: part as unknown as Json, at: now }, signer);
    return { part, statement, keys: { keys: publicKeysIn(jwks) }, chained: isChained(approval, audit) };
  };

  async function pinOf({
    toolName,
    toolHash,
  }: Approval): Promise<{ readonly pin: Pin | null; readonly receiptKeys: NonNullable<Pin["receiptKeys"]> }> {
    const { documents: found } = await sealed.read([keys.pin(toolName), keys.pinBeside(toolName, toolHash)]);
    const pins = found.flatMap(({ opened }) => {
      const pin = parsePin(opened.kind === "genuine" ? opened.value : null);
      return pin.ok ? [pin.value] : [];
    });
    const own = pins.find(({ hash }) => hash === toolHash) ?? null;
    return { pin: own, receiptKeys: (own ?? pins[0])?.receiptKeys ?? [] };
  }

  /**
   * Returns the grant with its terms. The signed text of a grant that is still valid is left out. Anybody who has that text can use the grant, and
   * only the agent needs it. The statement of approvals covers the terms.
   */
  async function grantOf(approval: Approval, now: number): Promise<ApprovalPart["grant"]> {
    const { grant, status } = approval;
    if (status !== "approved" || !grant) return null;
    const claims = grantClaims({ ...approval, grant });
    return { claims, signed: now >= grant.expiresAt ? await signGrant(claims, signer) : null };
  }

  async function recordsOf({ approvalId, tenant }: Approval): Promise<EvidenceRecords[]> {
    const parts = await chains.partsOf(approvalId, tenant);
    return parts.map(({ records, checkpoint }) => ({
      records: records.map((one) => (one.record["approvalId"] === approvalId ? one : linkOf(one))),
      checkpoint,
    }));
  }

  /** Returns the gateway's keys. If they are fetched from an address, only the key that signed the origin is known here. */
  async function keysOf(origin: RunOrigin | null): Promise<Jwks> {
    if (gatewayKeys.jwks) return { keys: publicKeysIn(gatewayKeys.jwks) };
    const kid = keyIdOf(origin?.signature ?? "");
    const key = kid === null ? null : await gatewayKeys.find(kid);
    const { x } = key?.export({ format: "jwk" }) ?? {};
    return { keys: kid === null || x === undefined ? [] : [{ kty: "OKP", crv: "Ed25519", x, kid, alg: "Ed25519", use: "sig" }] };
  }
}

/** Returns the approval without the hashes of tokens. */
function shownApproval({ decisions, ...approval }: Approval): JsonObject {
  const shown = { ...approval, decisions: decisions.map(({ tokenHash: _, ...decision }) => decision) };
  return wellFormed(shown as unknown as Json) as JsonObject;
}

/** Returns whether the chain has the newest status of the approval. */
function isChained({ status }: Approval, audit: readonly EvidenceRecords[]): boolean {
  const event = status === "pending" ? "held" : status;
  return audit.some(({ records }) => records.some((one) => "record" in one && one.record["event"] === event));
}

function keyIdOf(signature: string): string | null {
  const [header = ""] = signature.split(".");
  try {
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { readonly kid?: unknown };
    return typeof kid === "string" ? kid : null;
  } catch {
    return null;
  }
}
