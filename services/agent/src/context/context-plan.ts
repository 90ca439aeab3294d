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
  /** Whether a tool of this name changes something. */
  readonly isWrite: (tool: string) => boolean;
  /** False where no further model call may be made in this step: `sliding` then leaves out without a summary. */
  readonly maySummarise: boolean;
  /** The store's clock. */
  readonly now: number;
}

/** How much of the window a prompt takes, in tokens as the model counts them, about. */
export interface WindowUse {
  /** By the conversation alone. */
  readonly history: number;
  /** With the system prompt and the tools. */
  readonly used: number;
  /** What is free besides the longest reply and the margin; negative where they are drawn on. */
  readonly left: number;
}

/** The prompt's conversation is ready. */
export interface FittingContext {
  readonly kind: "fits";
  readonly entries: readonly TranscriptEntry[];
  readonly use: WindowUse;
  /** For the turn's event; absent when the model sees everything. */
  readonly pruned?: PrunedContext;
  /** To be committed with the turn; absent when what is stored still holds. */
  readonly document?: ContextDocument;
  /** True when something is left out that was not before: worth a line in the log. */
  readonly moved: boolean;
}

/** A summary has to be written first: this step's only model call. */
export interface SummaryDue {
  readonly kind: "summarise";
  readonly request: ModelRequest;
  /** The window with this summary, or without one where the reply is of no use. */
  apply(reply: ModelReply): ContextDocument;
  /** The window without a summary, for when the call has failed. */
  withoutSummary(): ContextDocument;
}

/** Even what the run cannot do without is too much. The message is for people. */
export interface ContextTooLong {
  readonly kind: "too_long";
  readonly message: string;
}

export type ContextPlan = FittingContext | SummaryDue | ContextTooLong;
