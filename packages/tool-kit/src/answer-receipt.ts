import type { ToolResult } from "@toolbus/contracts";
import { answerHash, type KeySet, resultHash, type ReceiptClaims, type Signer, signReceipt, verifyReceipt } from "@toolbus/grants";
import { sendable } from "./result-message.ts";

/** The receipt's content for a stale grant: not a result, so that the receipt never passes for one. */
const STALE = "grant_stale";

/** The attempt of an answer that was sent before anything began. */
export const NOTHING_BEGAN = 0;

export type AnsweredCall = Pick<ReceiptClaims, "callId" | "toolset" | "tool" | "toolHash" | "argsHash">;

/** Signs the answer to a call. `stale`: its grant was stale, and nothing began. */
export async function signAnswer(
  call: AnsweredCall,
  answer: { readonly result: ToolResult; readonly fence: number; readonly at: number; readonly stale?: boolean },
  signer: Signer,
): Promise<string> {
  const { fence, at } = answer;
  const { callId, toolset, tool, toolHash, argsHash } = call;
  return signReceipt({ callId, toolset, tool, toolHash, argsHash, fence, at, ...hashesOf(answer) }, signer);
}

/** `unsigned`: it has no receipt at all. `detail` never quotes the answer. */
export type AnswerVerdict =
  | { readonly kind: "genuine" }
  | { readonly kind: "unsigned" | "unknown_key" | "forged"; readonly detail: string };

/**
 * Judges whether a worker of the toolset gave exactly this answer to exactly this call. The definition that it ran is not compared: a call may be granted
 * and run under a newer one than its run began with, and the receipt says which.
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
  return verdict.kind === "genuine" ? { kind: "genuine" } : { kind: verdict.kind, detail: verdict.detail };
}

function hashesOf(answer: { readonly result: ToolResult; readonly stale?: boolean }): Pick<ReceiptClaims, "resultHash" | "answerHash"> {
  const result = sendable(answer.result);
  return { resultHash: resultHash(result), answerHash: answerHash(answer.stale ? { ...result, status: STALE } : result) };
}
