import type { JsonObject, ToolChoice, TranscriptEntry, VendorTurn } from "@toolbus/contracts";
import type { DialectName } from "./schema/dialect.ts";
import type { ToolSpec } from "./schema/tool-spec.ts";

/**
 * A model: it reads the neutral transcript and gives one turn, text or tool calls or both. It decides, it never runs a tool and keeps nothing
 * between calls; everything it knows stands in the request.
 *
 * Guarantees of every adapter, proved by `describeModelProvider`:
 * - A transcript whose calls and results do not pair is refused with `UnpairedTranscript` before anything is sent.
 * - The deltas given to `onText`, put together, are the reply's text. No delta comes after `complete` has settled or its signal has aborted.
 * - A reply is whole: a stream that breaks off rejects, and what was streamed until then counts for nothing.
 * - The ids of the calls differ from one another and from every id in the transcript, whatever the vendor sent.
 * - With the tool choice `none` there are no calls.
 * - `stop` is `tool_use` exactly when there are calls. A reply that was cut off has none: half a call is no call.
 * - A tool that cannot be put into the vendor's form is left out of the request; it never makes the request fail.
 * - A turn of another provider, or of this loop (a seed turn), is put into this vendor's form; its own turns go back as they came.
 *
 * It sends one request and does not retry, log or measure: whoever calls it does. The signal is its deadline. What it reads of an answer is bounded in size,
 * and in the silence within it (`AnswerBounds`), whatever the vendor sends.
 */
export interface ModelProvider {
  /** How configuration names it: `offline`, `anthropic`. */
  readonly name: string;
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  /** The rules that its tools must keep: `compileTool(tool, dialect)` is exactly what `complete` sends of a tool. */
  readonly dialect: DialectName;
  /**
   * One turn. Rejects with the signal's reason soon after it aborts, and otherwise with one of the classes in `model-errors.ts`, whose
   * `retryable` says whether the very same request may succeed later.
   */
  complete(request: ModelRequest, context: ModelContext): Promise<ModelReply>;
  /** About how many tokens this prompt takes; for planning, never for billing. Never less for a longer prompt. */
  estimateTokens(entries: readonly TranscriptEntry[], system: string): number;
}

/** What a model can do. An agent whose model has no tools answers with text. */
export interface ModelCapabilities {
  readonly tools: boolean;
  /** True when text comes in pieces; false when it comes as one. */
  readonly streaming: boolean;
  readonly vision: boolean;
  /** False: a temperature is not sent, because the vendor refuses it. */
  readonly sampling: boolean;
  /** Prompt and reply together, in the model's own tokens. */
  readonly contextTokens: number;
  /** The longest reply. */
  readonly maxOutputTokens: number;
  /** A longer tool result is put into working memory, and the model gets an index of it. In characters. */
  readonly resultChars: number;
}

export interface ModelRequest {
  readonly system: string;
  readonly transcript: readonly TranscriptEntry[];
  /** What may be called in this turn; nothing else is. */
  readonly tools: readonly ToolSpec[];
  /** `auto` when absent. `none` holds with every adapter; a demand for a call is passed on where the vendor knows it. */
  readonly toolChoice?: ToolChoice;
  /** False: one call a turn at most, where the vendor can be told. True when absent. */
  readonly parallelCalls?: boolean;
  /** Left out for a vendor that takes none. */
  readonly temperature?: number;
  /** The longest reply, in the model's own tokens. */
  readonly maxTokens: number;
  readonly run: ModelRun;
}

/** The run that the turn belongs to. */
export interface ModelRun {
  readonly runId: string;
  readonly profile: string;
  /** From 1; absent where the call is no turn of its own, such as that for a summary. */
  readonly round?: number;
  /** What the run was started with, such as `releaseId`. */
  readonly input: JsonObject;
}

export interface ModelContext {
  readonly signal: AbortSignal;
  /** Gets the text as it comes. Called in order; it must not throw. */
  onText(delta: string): void;
  /** Gets the arguments of calls as they are written, as far as the vendor streams them. What counts is the reply. It must not throw. */
  onArguments?(delta: ArgumentsText): void;
}

/** A piece of the JSON text of one call's arguments. */
export interface ArgumentsText {
  /** Which call of the turn, from 0. */
  readonly index: number;
  readonly name: string;
  readonly text: string;
}

/** Why the turn ended. `pause`: the vendor wants the transcript back, with this turn at its end, to go on. */
export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal" | "pause";

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly stop: StopReason;
  readonly usage: ModelUsage;
  /** The model that answered, which may be more exact than the one asked for. */
  readonly model: string;
  /** The turn in the vendor's own form, to be kept beside it; absent where there is none. Its calls have the ids of `calls`. */
  readonly vendor?: VendorTurn;
}

export interface ModelCall {
  /** Pairs the call with its result towards this provider; our own call id is another. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it, names of the tool's own schema restored: it may be broken, its reader checks it. */
  readonly arguments: string;
}

export interface ModelUsage {
  /** All of the prompt, what a cache gave among it. */
  readonly inputTokens: number;
  /** All of the reply, reasoning among it. */
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** What the vendor itself says that it charges, in millionths of a US dollar. */
  readonly costMicroUsd?: number;
  /** True when nobody counted and the figures are an estimate. */
  readonly estimated?: boolean;
}
