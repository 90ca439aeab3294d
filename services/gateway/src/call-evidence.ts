import { type CallEvidence, type CallPart, callParts, ID_PATTERNS, type Json, type JsonObject, keys, parseCall } from "@toolbus/contracts";
import { signEvidence, type Signer } from "@toolbus/grants";
import { type Principal, wholeResult } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { refused, type Refused } from "./refused.ts";
import { findRun } from "./run-access.ts";

/**
 * Returns the gateway's part of the evidence about a call: the call as the agent stored it, its result and the worker's receipt. The gateway signs
 * that it found these in the store. It does not vouch for what the agent wrote. A worker signed the receipt, so the receipt proves the result by
 * itself.
 */
export async function callEvidence(
  { state, signer }: { readonly state: StateStore; readonly signer: Signer },
  callId: string,
  principal: Principal,
): Promise<{ readonly kind: "found"; readonly evidence: CallEvidence } | Refused> {
  if (!CALL.test(callId)) return noCall(callId);
  const run = await findRun(state, callParts(callId).runId, principal);
  if (run.kind === "refused") return run.code === "not_found" ? noCall(callId) : run;
  const { now, documents } = await state.read([keys.call(callId)]);
  const call = parseCall(documents[0]?.value);
  if (!call.ok) return noCall(callId);
  const { receipt = null } = call.value;
  const result = await wholeResult(state, call.value);
  const shown = Object.fromEntries(SHOWN.flatMap((name) => (call.value[name] === undefined ? [] : [[name, call.value[name]]])));
  const part: CallPart = { callId, tenant: run.origin.tenant, call: wellFormed(shown as JsonObject) as JsonObject, result, receipt };
  try {
    return { kind: "found", evidence: await signed(part) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The result has a lone surrogate, which no JSON file can contain unchanged. So this evidence has no result. Without the result, nobody can check
    // the receipt either.
    return { kind: "found", evidence: await signed({ ...part, result: null, receipt: null }) };
  }

  async function signed(stated: CallPart): Promise<CallEvidence> {
    return { part: stated, statement: await signEvidence("tb-gateway", { callId, part: stated as unknown as Json, at: now }, signer) };
  }
}

/** The fields that show what happened. The secret, the grant and the arguments are not among them. */
const SHOWN = [
  "runId",
  "conversationId",
  "round",
  "index",
  "transcriptId",
  "toolName",
  "toolVersion",
  "toolHash",
  "toolset",
  "kind",
  "idempotency",
  "argsHash",
  "effect",
  "state",
  "dispatch",
  "createdAt",
  "sentAt",
  "notAfter",
  "approvalId",
  "approvedBy",
  "resolvedAt",
  "settled",
] as const;

const CALL = new RegExp(ID_PATTERNS.call);

function noCall(callId: string): Refused {
  return refused("not_found", `There is no call "${callId.slice(0, 80)}" for this key.`, "Use the id of a call of a run of your tenant.");
}

function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, wellFormed(part)]));
}
