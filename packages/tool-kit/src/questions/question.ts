import type { JsonObject } from "@toolbus/contracts";

/** A question to the requester of the run, who sees which tool asks. */
export interface Question {
  /** The question in at most 1000 characters. */
  readonly message: string;
  /**
   * The JSON Schema of the answer: an object whose fields are texts, numbers, booleans or choices. It may have 8 KiB. Without fields, the person only
   * accepts or declines.
   */
  readonly form: JsonObject;
  /** Withdraws the question when it aborts. */
  readonly signal?: AbortSignal;
}

/** The reply to a question. `content` fits the form. `reason` says why there is no answer. */
export type Reply =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline"; readonly reason: string }
  | { readonly action: "cancel"; readonly reason: string };

/** Asks the requester of the run. See `ToolContext`. */
export type Ask = (question: Question) => Promise<Reply>;

/** The reply where nobody can be asked, because the call has not begun. */
export const nobodyToAsk: Ask = async () => ({ action: "decline", reason: "Nobody can be asked in this step." });
