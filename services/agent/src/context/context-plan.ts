import type { ContextDocument, ContextStrategy, PrunedContext, Run, TranscriptEntry } from "@toolbus/contracts";
import type { ModelProvider, ModelReply, ModelRequest } from "@toolbus/models";
import type { ContextBudget } from "./budget.ts";
import type { TranscriptWindow } from "./transcript-window.ts";

export interface ContextInput {
  readonly window: TranscriptWindow;
  readonly budget: ContextBudget;
  readonly strategy: ContextStrategy;
  readonly run: Pick<Run, "runId" | "conversationId" | "profile" | "input">;
  readonly provider: ModelProvider;
  /** Returns true if the tool with this name changes something. */
  readonly isWrite: (tool: string) => boolean;
  /** False if this step may make no further model call. The strategy `sliding` then prunes without a summary. */
  readonly maySummarise: boolean;
  /** The store's time, in milliseconds. */
  readonly now: number;
}

/** The approximate use of the window by a prompt, in tokens as the model counts them. */
export interface WindowUse {
  /** The tokens of the conversation alone. */
  readonly history: number;
  /** The tokens of the conversation, the system prompt and the tools. */
  readonly used: number;
  /** The free tokens, apart from those for the longest reply and the margin. Negative if the prompt uses some of those. */
  readonly left: number;
}

/** A conversation that fits the model's window. */
export interface FittingContext {
  readonly kind: "fits";
  readonly entries: readonly TranscriptEntry[];
  /** Returns how much of the window the prompt uses. Counts the tokens if `isCounted` is false. */
  use(): WindowUse;
  /** False if the prompt fits whatever a count would say, so that no token has been counted. */
  readonly isCounted: boolean;
  /** The part that was left out, for the turn's event. Absent if the model sees everything. */
  readonly pruned?: PrunedContext;
  /** The document to commit with the turn. Absent if the stored document is still valid. */
  readonly document?: ContextDocument;
  /** True if the plan leaves out something new, which is worth a log line. */
  readonly moved: boolean;
}

/** A plan that needs a summary first. The call that writes the summary is the only model call of this step. */
export interface SummaryDue {
  readonly kind: "summarise";
  readonly request: ModelRequest;
  /** Returns the window with this summary, or without a new summary if the reply is unusable. */
  apply(reply: ModelReply): ContextDocument;
  /** Returns the window without a new summary, for use after a failed call. */
  withoutSummary(): ContextDocument;
}

/** A conversation whose required part is too long for the window. The message is for people. */
export interface ContextTooLong {
  readonly kind: "too_long";
  readonly message: string;
}

export type ContextPlan = FittingContext | SummaryDue | ContextTooLong;
