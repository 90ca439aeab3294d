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
  /** Whether the tool with this name changes something. */
  readonly isWrite: (tool: string) => boolean;
  /** False if no further model call may be made in this step: `sliding` then prunes without a summary. */
  readonly maySummarise: boolean;
  /** The store's clock. */
  readonly now: number;
}

/** How much of the window a prompt uses, in tokens as the model counts them, approximately. */
export interface WindowUse {
  /** By the conversation alone. */
  readonly history: number;
  /** With the system prompt and the tools. */
  readonly used: number;
  /** The free tokens besides the longest reply and the margin; negative if those are drawn on. */
  readonly left: number;
}

/** The prompt's conversation is ready. */
export interface FittingContext {
  readonly kind: "fits";
  readonly entries: readonly TranscriptEntry[];
  readonly use: WindowUse;
  /** For the turn's event; absent if the model sees everything. */
  readonly pruned?: PrunedContext;
  /** To be committed with the turn; absent if the stored document is still valid. */
  readonly document?: ContextDocument;
  /** True if something is newly left out: worth a log line. */
  readonly moved: boolean;
}

/** A summary has to be written first: this step's only model call. */
export interface SummaryDue {
  readonly kind: "summarise";
  readonly request: ModelRequest;
  /** The window with this summary, or without one if the reply is unusable. */
  apply(reply: ModelReply): ContextDocument;
  /** The window without a summary, for when the call has failed. */
  withoutSummary(): ContextDocument;
}

/** Even the minimum for the run is too much. The message is for people. */
export interface ContextTooLong {
  readonly kind: "too_long";
  readonly message: string;
}

export type ContextPlan = FittingContext | SummaryDue | ContextTooLong;
