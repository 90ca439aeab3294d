import { type Call, failedResult, type ToolResult } from "@toolbus/contracts";
import { boundedText } from "./bounded-text.ts";
import type { Draft } from "./draft.ts";

/** The question of a call of `ask_user`. */
export interface Question {
  readonly question: string;
  readonly options: readonly string[];
}

/** Asks the person. The call stays open until the answer, the expiry or a cancel, and the run's clock stops in the meantime. */
export function ask(draft: Draft, call: Call): void {
  const { ASK_EXPIRY_MS } = draft.rules.config;
  const expiresAt = draft.now + ASK_EXPIRY_MS;
  draft.setCall({ ...call, state: "asked", heldSince: draft.now, askExpiresAt: expiresAt }, ASK_EXPIRY_MS);
  draft.event({ type: "call.asked", at: draft.now, callId: call.callId, ...questionOf(call), expiresAt });
}

/** Returns the result that the model reads, with the person's words as data. */
export function answerResult(text: string): ToolResult {
  return { status: "ok", content: JSON.stringify({ answer: boundedText(text) }), isError: false };
}

export function noAnswerResult(waitedMs: number): ToolResult {
  const hours = Math.round(waitedMs / 360_000) / 10;
  return failedResult(
    "no_answer",
    `The person did not answer within ${hours} h. Continue without the answer, or say what you need to know.`,
  );
}

/** Returns the question in a call's checked arguments. */
function questionOf(call: Call): Question {
  const { question, options } = JSON.parse(call.arguments) as { readonly question: string; readonly options?: readonly string[] };
  return { question, options: options ?? [] };
}
