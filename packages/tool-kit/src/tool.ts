import type { Json, JsonObject, ToolDefinition } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import type { ModelCallUse } from "./model-use.ts";
import type { Progress } from "./progress.ts";
import type { ToolProblem } from "./tool-problem.ts";

type Awaitable<T> = T | Promise<T>;

/** What a handler returns: JSON, plain text, or a problem in words for the model. */
export type ToolOutput = Json | ToolProblem;

/** What a handler gets besides its arguments. */
export interface ToolContext {
  readonly callId: string;
  readonly sessionId: string;
  /** Aborts at the time-out, on cancel and on shutdown. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Reports the progress of the work to viewers of the run. Never waits, never fails, and may be called often. */
  progress(progress: Progress): void;
  /** Reports the usage of a model call that this tool made: it is recorded with the call. Never waits and never fails. */
  modelUsed(use: ModelCallUse): void;
}

/** What the effect of a write gets. */
export interface WriteContext {
  /** The call's own id, equal in every attempt: pass it to the target. */
  readonly idempotencyKey: string;
  /** Aborts at the time-out and when another attempt has taken over. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Reports the progress of the work to viewers of the run. Never waits, never fails, and may be called often. */
  progress(progress: Progress): void;
  /** Reports the usage of a model call that this tool made: it is recorded with the call. Never waits and never fails. */
  modelUsed(use: ModelCallUse): void;
}

/**
 * What a target says about an attempt that may have reached it. `voided` means more than "not found": the target refuses that attempt from now on, so it
 * can never take effect.
 */
export type Reconciliation =
  | { readonly kind: "happened"; readonly content: Json }
  | { readonly kind: "voided" }
  | { readonly kind: "unknown" };

/** A definition before a toolset gave it its source. */
export type DraftDefinition = Omit<ToolDefinition, "source"> & { readonly source?: string };

/** The handler of a read or a compute. */
export interface ReadHandlers<Args> {
  run(args: Args, context: ToolContext): Awaitable<ToolOutput>;
}

/** The handlers of a write. */
export interface WriteHandlers<Args, Prepared> {
  /** Works out what will be sent. Repeatable, without effect; its result is stored, and every attempt sends exactly that. */
  prepare(args: Args, context: ToolContext): Awaitable<Prepared | ToolProblem>;
  /** The effect. Runs again after a crash only with `idempotency: { mode: "key" }`, with the same prepared value and key. */
  run(prepared: Prepared, context: WriteContext): Awaitable<ToolOutput>;
  /**
   * What the write touches, as a name such as `order:ORD-8821`: writes of the toolset that give the same name run one after another, whichever run they
   * come from. Without it only the writes of one turn do. It only looks at the arguments.
   */
  resource?(args: Args): string;
  /** Asks the target about an earlier attempt. Required for, and only for, `idempotency: { mode: "reconcile" }`. */
  reconcile?(prepared: Prepared, context: WriteContext): Awaitable<Reconciliation>;
}

export interface ReadTool extends ReadHandlers<JsonObject> {
  readonly kind: "read" | "compute";
  readonly draft: DraftDefinition;
}

export interface WriteTool extends WriteHandlers<JsonObject, Json> {
  readonly kind: "write";
  readonly draft: DraftDefinition;
}

/** A tool as `defineTool` makes it: its definition and its handlers. */
export type Tool = ReadTool | WriteTool;
