import type { Usage } from "./documents/agent.ts";
import type { ApprovalOutcome } from "./messages.ts";
import type { ResultStatus } from "./error-codes.ts";
import type { JsonObject } from "./json.ts";
import type { Report } from "./report.ts";
import type { ToolKind } from "./tool-definition.ts";

/** One tool call as a viewer sees it. */
export interface EventCall {
  readonly callId: string;
  readonly transcriptId: string;
  readonly tool: string;
  readonly kind: ToolKind | "unknown";
  readonly arguments: string;
}

/** How a conversation was made to fit the model's window. */
export interface PrunedContext {
  readonly strategy: string;
  /** Entries of the transcript that were left out. */
  readonly entries: number;
  /** About how many tokens they would have taken. */
  readonly tokens: number;
  /** True when a summary stands for them. */
  readonly summary?: boolean;
}

/**
 * Durable events of a run: the log's sequence is the SSE id (`<runId>:<sequence>`), so a client that resumes gets every one of them, once.
 * `at` is the store's clock in milliseconds.
 */
export type RunEvent =
  | { readonly type: "run.queued"; readonly at: number; readonly behind: string }
  | {
      readonly type: "run.started";
      readonly at: number;
      readonly profile: string;
      readonly input: object;
      readonly tools: readonly string[];
      /** Of the registry as the run found it: what `GET /v1/tools` says too. */
      readonly registryVersion: string;
    }
  | {
      readonly type: "turn";
      readonly at: number;
      readonly round: number;
      readonly seed: boolean;
      readonly provider: string;
      readonly model: string;
      readonly text: string;
      readonly calls: readonly EventCall[];
      /** What of the conversation the model was not shown; absent: it saw all of it. */
      readonly pruned?: PrunedContext;
      readonly usage: Usage;
    }
  | {
      /** A model call failed and is made again: text that was shown of this round is void. */
      readonly type: "model.retry";
      readonly at: number;
      readonly round: number;
      /** The attempt that failed, from 1. */
      readonly attempt: number;
      readonly code: string;
      readonly message: string;
      /** How long until the next one. */
      readonly waitMs: number;
    }
  | {
      readonly type: "call.held";
      readonly at: number;
      readonly callId: string;
      readonly tool: string;
      readonly approvalId: string;
      readonly tier: string;
      readonly effect: string;
      readonly expiresAt: number;
    }
  | {
      readonly type: "call.decided";
      readonly at: number;
      readonly callId: string;
      readonly tool: string;
      readonly outcome: ApprovalOutcome;
      readonly decidedBy: readonly string[];
    }
  | {
      readonly type: "call.resolved";
      readonly at: number;
      readonly callId: string;
      readonly tool: string;
      readonly status: ResultStatus;
      readonly latencyMs: number;
      /** Cut to 4 KiB for viewers. */
      readonly content: string;
      /** Of the run so far: this call counts. */
      readonly usage: Usage;
    }
  | {
      /** The model asks the person; `POST /v1/runs/{id}/answers` answers. */
      readonly type: "call.asked";
      readonly at: number;
      readonly callId: string;
      readonly question: string;
      readonly options: readonly string[];
      readonly expiresAt: number;
    }
  | { readonly type: "run.cancelling"; readonly at: number; readonly by: string }
  | RunEnd;

/** Exactly one of these ends every stream. */
export type RunEnd =
  | {
      readonly type: "run.completed";
      readonly at: number;
      readonly text: string;
      readonly truncated: boolean;
      readonly report: Report | null;
      readonly usage: Usage;
    }
  | {
      readonly type: "run.failed";
      readonly at: number;
      readonly code: string;
      readonly message: string;
      readonly report: Report | null;
      readonly usage: Usage;
    }
  | { readonly type: "run.cancelled"; readonly at: number; readonly by: string; readonly report: Report | null; readonly usage: Usage };

/** Not durable, first of a stream that a POST opened: which run it is. Made by the gateway. */
export interface RunAccepted {
  readonly type: "accepted";
  readonly runId: string;
  readonly conversationId: string;
}

/** Not durable: text as it comes. `after` is the last durable sequence when it was written; `offset` counts characters within the round. */
export interface TextDelta {
  readonly type: "delta";
  readonly epoch: number;
  readonly round: number;
  readonly offset: number;
  readonly after: number;
  readonly text: string;
}

/**
 * Not durable: the arguments of a call as the model writes them, one member at a time and redacted like every event. `index` counts the calls of the
 * round; what of it is true stands in the turn.
 */
export interface ArgumentsDelta {
  readonly type: "arguments";
  readonly epoch: number;
  readonly round: number;
  readonly after: number;
  readonly index: number;
  readonly tool: string;
  readonly members: JsonObject;
}

/** Not durable: another process took the round over, its text starts again. Made by the gateway. */
export interface TextReset {
  readonly type: "reset";
  readonly epoch: number;
  readonly round: number;
}

/** Not durable: how far a tool has come, in its own words. `n` counts up within a call; a smaller one is old. */
export interface ToolProgressed {
  readonly type: "progress";
  readonly callId: string;
  readonly tool: string;
  readonly n: number;
  readonly at: number;
  readonly message: string;
  /** 0 to 1, where the tool knows. */
  readonly fraction?: number;
}

/** What goes live while a run works: shown to who watches, never stored. */
export type LiveEvent = TextDelta | ArgumentsDelta | ToolProgressed;

export const RUN_ENDS = ["run.completed", "run.failed", "run.cancelled"] as const;

export function isRunEnd(event: { readonly type: string }): event is RunEnd {
  return (RUN_ENDS as readonly string[]).includes(event.type);
}

/** How much of a result a viewer is shown, in characters. */
export const EVENT_CONTENT_CHARS = 4096;
