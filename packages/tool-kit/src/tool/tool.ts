import type { Json, JsonObject, Plan, ToolDefinition } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import type { ModelCallUse } from "./model-use.ts";
import type { Question, Reply } from "../questions/question.ts";
import type { Progress } from "./progress.ts";
import type { Media } from "./result-media.ts";
import type { ToolProblem } from "./tool-problem.ts";

type Awaitable<T> = T | Promise<T>;

/** The output of a handler: JSON, plain text, or a problem in words for the model. */
export type ToolOutput = Json | ToolProblem;

/** The context that a handler receives besides its arguments. */
export interface ToolContext {
  readonly callId: string;
  readonly sessionId: string;
  /** Aborts at the time-out, on cancel and on shutdown. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Reports the progress of the work to viewers of the run. Never waits, never fails, and may be called often. */
  progress(progress: Progress): void;
  /** Reports the usage of a model call that this tool made. The usage is recorded with the call. Never waits and never fails. */
  modelUsed(use: ModelCallUse): void;
  /**
   * Keeps a picture, a sound or a file with the result of a `run` that succeeds. People who may read the run get it, and the model does not. Returns
   * the name of the bytes, or null if the result has no room for it. Then the text of the result should say so.
   */
  attach(media: Media): string | null;
  /**
   * Asks the requester of the run a question in the name of this tool, and waits for the answer. Only a `run` can ask. The wait ends shortly before the
   * time-out of the call. A question for a secret is declined. Everybody who may see the run sees the question, and only the tool gets the answer. A
   * repeated attempt asks again. Never rejects.
   */
  ask(question: Question): Promise<Reply>;
}

/** The context that the handlers `run` and `reconcile` of a write receive. */
export interface WriteContext {
  /** The call's own id, which is the same in every attempt. Pass it to the target. */
  readonly idempotencyKey: string;
  /** Aborts at the time-out and when another attempt has taken over. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Reports the progress of the work to viewers of the run. Never waits, never fails, and may be called often. */
  progress(progress: Progress): void;
  /** Reports the usage of a model call that this tool made. The usage is recorded with the call. Never waits and never fails. */
  modelUsed(use: ModelCallUse): void;
  /**
   * Keeps a picture, a sound or a file with the result of a `run` that succeeds. People who may read the run get it, and the model does not. Returns
   * the name of the bytes, or null if the result has no room for it. Then the text of the result should say so.
   */
  attach(media: Media): string | null;
  /**
   * Asks the requester of the run a question in the name of this tool, and waits for the answer. Only a `run` can ask. The wait ends shortly before the
   * time-out of the call. A question for a secret is declined. Everybody who may see the run sees the question, and only the tool gets the answer. A
   * repeated attempt asks again. Never rejects.
   */
  ask(question: Question): Promise<Reply>;
}

/**
 * The target's answer about an attempt that may have reached it. `voided` means more than "not found". The target refuses that attempt from now on,
 * so the attempt can never take effect.
 */
export type Reconciliation =
  | { readonly kind: "happened"; readonly content: Json }
  | { readonly kind: "voided" }
  | { readonly kind: "unknown" };

/** A definition to which no toolset has added its source. */
export type DraftDefinition = Omit<ToolDefinition, "source"> & { readonly source?: string };

/** The handler of a read or a compute. */
export interface ReadHandlers<Args> {
  run(args: Args, context: ToolContext): Awaitable<ToolOutput>;
}

/** The handlers of a write. */
export interface WriteHandlers<Args, Prepared> {
  /**
   * Computes the value that will be sent. It must be repeatable and have no effect. Its result is stored, and every attempt sends exactly this
   * result.
   */
  prepare(args: Args, context: ToolContext): Awaitable<Prepared | ToolProblem>;
  /** Causes the effect. Runs again after a crash only with `idempotency: { mode: "key" }`, with the same prepared value and key. */
  run(prepared: Prepared, context: WriteContext): Awaitable<ToolOutput>;
  /**
   * Returns what the write will change: the affected part of the target now and after the write, as two objects with the same fields. It must have no
   * effect, and the same state of the target must give the same plan, so leave out times and counters. People approve the plan. Before the write is
   * sent, the worker plans again, and sends the write back to the people if the plan is another one. The worker waits for the resource's turn before
   * it plans again, so no other write of the toolset changes the target in between.
   */
  plan?(args: Args, context: ToolContext): Awaitable<Plan | ToolProblem>;
  /**
   * Returns the name of the resource that the write changes, such as `order:ORD-8821`. Writes of the toolset with the same resource run one after
   * another, even if they belong to different runs. Without this function, only the writes of one turn do. The name must depend only on the
   * arguments.
   */
  resource?(args: Args): string;
  /** Asks the target about an earlier attempt. Required with `idempotency: { mode: "reconcile" }`, and refused with any other mode. */
  reconcile?(prepared: Prepared, context: WriteContext): Awaitable<Reconciliation>;
}

export interface ReadTool extends ReadHandlers<JsonObject> {
  readonly kind: "read" | "compute";
  readonly draft: DraftDefinition;
  readonly noGoldenCall?: string;
}

export interface WriteTool extends WriteHandlers<JsonObject, Json> {
  readonly kind: "write";
  readonly draft: DraftDefinition;
  readonly noGoldenCall?: string;
}

/** A tool as `defineTool` creates it, with its definition and its handlers. */
export type Tool = ReadTool | WriteTool;
