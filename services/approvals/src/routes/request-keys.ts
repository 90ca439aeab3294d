import { hash } from "node:crypto";
import { type DecisionRequest, type Json, keys, shardOf } from "@toolbus/contracts";
import { keyReused, type Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";

const KEPT_MS = 48 * 3_600_000;

/**
 * Records an `Idempotency-Key` with its decision, before anything is decided. The token already makes a repeated decision harmless, so only the use
 * of the key for this approval is stored. Throws a problem if the key is reused with another decision about it.
 */
export async function firstUse(
  { state, documents }: { readonly state: Pick<StateStore, "commit">; readonly documents: ApprovalDocuments },
  { approvalId, principal, key, body }: { approvalId: string; principal: Principal; key: string; body: DecisionRequest },
): Promise<"first" | "again"> {
  const { decision, token, comment = null, ticket = null, arguments: args, argumentsHash = null, planHash } = body;
  // A body without these parts has the hash that earlier versions stored for it.
  const onCard = args === undefined && argumentsHash === null ? [] : [args === undefined ? null : JSON.stringify(args), argumentsHash];
  const onPlan = planHash === undefined ? [] : ["plan", planHash];
  const bodyHash = hashOf(decision, token, comment, ticket, ...onCard, ...onPlan);
  // The key of a token names only the shard. Without the approval, all decisions of a batch about one run would use the same document.
  const name = keys.token(approvalId, `key-${hashOf(approvalId, principal.tenant, principal.id, key)}`);
  const { now, document } = await documents.own(name, approvalId);
  if (document.kind === "absent") {
    const put = [{ key: name, value: { bodyHash }, expiresAt: now + KEPT_MS }];
    // Two requests that race with different bodies are two changes. With the same body, they may be one change.
    const change = { op: `key:${name}:${bodyHash}`, guards: [{ key: name, version: 0 }], put };
    if ((await state.commit(shardOf(approvalId), change)).outcome === "ok") return "first";
  }
  const stored = document.kind === "absent" ? (await documents.own(name, approvalId)).document : document;
  const used: Json = stored.kind === "genuine" ? stored.value : null;
  if (JSON.stringify(used) !== JSON.stringify({ bodyHash })) throw keyReused();
  return "again";
}

function hashOf(...parts: readonly (string | null)[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url");
}
