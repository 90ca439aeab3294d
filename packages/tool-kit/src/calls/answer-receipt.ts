import type { ToolResult } from "@toolbus/contracts";
import { answerHash, type KeySet, resultHash, type ReceiptClaims, type Signer, signReceipt, verifyReceipt } from "@toolbus/grants";
import { sendable } from "./result-message.ts";

/** The status in a receipt for a stale grant. No result has this status, so the receipt never proves a result. */
const STALE = "grant_stale";

/** The fence of an answer that was sent before any attempt began. Such a receipt proves no outcome, because another sending may be executed. */
export const NOTHING_BEGAN = 0;

export type AnsweredCall = Pick<ReceiptClaims, "callId" | "toolset" | "tool" | "toolHash" | "argsHash">;

/** Signs the answer to a call. `stale` means that the call's grant was stale and nothing began. */
export async function signAnswer(
  call: AnsweredCall,
  answer: { readonly result: ToolResult; readonly fence: number; readonly at: number; readonly stale?: boolean },
  signer: Signer,
): Promise<string> {
  const { fence, at } = answer;
  const { callId, toolset, tool, toolHash, argsHash } = call;
  return signReceipt({ callId, toolset, tool, toolHash, argsHash, fence, at, ...hashesOf(answer) }, signer);
}

/**
 * The verdict on an answer. `toolHash` is the hash of the definition that the worker has. `unsigned` means that the answer has no receipt. `detail`
 * never quotes the answer.
 */
export type AnswerVerdict =
  | { readonly kind: "genuine"; readonly toolHash: string }
  | { readonly kind: "unsigned" | "unknown_key" | "forged"; readonly detail: string };

/**
 * Judges whether a worker of the toolset gave exactly this answer to exactly this call. The tool's definition is not compared, because a call may be
 * granted under a newer definition than the one its run began with. The receipt names the definition.
 */
export async function verifyAnswer(
  call: Omit<AnsweredCall, "toolHash">,
  answer: { readonly result: ToolResult; readonly receipt?: string; readonly stale: boolean },
  keys: KeySet,
): Promise<AnswerVerdict> {
  const { receipt } = answer;
  if (receipt === undefined) return { kind: "unsigned", detail: "it has no receipt" };
  const { callId, toolset, tool, argsHash } = call;
  const verdict = await verifyReceipt({ receipt, keys, expected: { callId, toolset, tool, argsHash, ...hashesOf(answer) } });
  return verdict.kind === "genuine"
    ? { kind: "genuine", toolHash: verdict.claims.toolHash }
    : { kind: verdict.kind, detail: verdict.detail };
}

function hashesOf(answer: { readonly result: ToolResult; readonly stale?: boolean }): Pick<ReceiptClaims, "resultHash" | "answerHash"> {
  const result = sendable(answer.result);
  return { resultHash: resultHash(result), answerHash: answerHash(answer.stale ? { ...result, status: STALE } : result) };
}
