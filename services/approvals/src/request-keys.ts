import { createHash } from "node:crypto";
import { type DecisionRequest, keys, shardOf } from "@toolbus/contracts";
import { keyReused, type Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";

const KEPT_MS = 48 * 3_600_000;

/**
 * Notes an `Idempotency-Key` with the decision that it names, before anything is decided: the token makes the repeat of a decision harmless, so all
 * that has to be kept of the key is what it was used for. Throws the problem for a key that comes again with another decision.
 */
export async function firstUse(
  state: StateStore,
  { approvalId, principal, key, body }: { approvalId: string; principal: Principal; key: string; body: DecisionRequest },
): Promise<"first" | "again"> {
  const { decision, token, comment = null, ticket = null } = body;
  const bodyHash = hashOf(decision, token, comment, ticket);
  const document = keys.token(approvalId, `key-${hashOf(principal.tenant, principal.id, key)}`);
  const { now, documents } = await state.read([document]);
  if (!documents[0]) {
    const put = [{ key: document, value: { bodyHash }, expiresAt: now + KEPT_MS }];
    // Two requests that race with different bodies are two changes; with the same, they may be one.
    const change = { op: `key:${document}:${bodyHash}`, guards: [{ key: document, version: 0 }], put };
    if ((await state.commit(shardOf(approvalId), change)).outcome === "ok") return "first";
  }
  const stored = documents[0] ?? (await state.read([document])).documents[0];
  if (JSON.stringify(stored?.value) !== JSON.stringify({ bodyHash })) throw keyReused();
  return "again";
}

function hashOf(...parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
