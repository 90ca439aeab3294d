import type { JsonObject, ToolChoice, TranscriptEntry, VendorTurn } from "@toolbus/contracts";
import type { DialectName } from "./schema/dialect.ts";
import type { ToolSpec } from "./schema/tool-spec.ts";

/**
 * A model: it reads the neutral transcript and returns one turn, with text or tool calls or both. It decides, never runs a tool and keeps nothing between
 * calls; everything it knows is in the request.
 *
 * Guarantees of every adapter, proved by `describeModelProvider`:
 * - A transcript whose calls and results do not pair is refused with `UnpairedTranscript` before anything is sent.
 * - The deltas given to `onText`, put together, are the reply's text. No delta comes after `complete` has settled or its signal has aborted.
 * - A reply is complete: a stream that breaks off rejects, and the text streamed until then does not count.
 * - The ids of the calls differ from one another and from every id in the transcript, whatever the vendor sent.
 * - With the tool choice `none` there are no calls.
 * - `stop` is `tool_use` exactly when there are calls. A reply that was cut off has none: half a call does not count.
 * - A tool that cannot be converted into the vendor's form is left out of the request; it never makes the request fail.
 * - A turn of another provider, or of this loop (a seed turn), is converted into this vendor's form; its own turns go back unchanged.
 *
 * It sends one request and does not retry, log or measure: its caller does. The signal is its deadline. The answer is limited in size, and in its pauses
 * (`AnswerBounds`), whatever the vendor sends.
 */
export interface ModelProvider {
  /** Configuration's name for it: `offline`, `anthropic`. */
  readonly name: string;
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  /** The rules for its tools: `compileTool(tool, dialect)` is exactly what `complete` sends of a tool. */
  readonly dialect: DialectName;
  /**
   * One turn. Rejects with the signal's reason soon after it aborts, and otherwise with one of the classes in `model-errors.ts`, whose `retryable` says
   * whether exactly the same request may succeed later.
   */
  complete(request: ModelRequest, context: ModelContext): Promise<ModelReply>;
  /** About how many tokens this prompt needs; for planning, never for billing. Never fewer for a longer prompt. */
  estimateTokens(entries: readonly TranscriptEntry[], system: string): number;
}

/** What a model can do. An agent whose model has no tools answers with text. */
export interface ModelCapabilities {
  readonly tools: boolean;
  /** True if text comes in pieces; false if it comes as one. */
  readonly streaming: boolean;
  readonly vision: boolean;
  /** False: a temperature is not sent, because the vendor refuses it. */
  readonly sampling: boolean;
  /** Prompt and reply together, in the model's own tokens. */
  readonly contextTokens: number;
  /** The longest reply. */
  readonly maxOutputTokens: number;
  /** A longer tool result goes into working memory, and the model gets an index of it. In characters. */
  readonly resultChars: number;
}

export interface ModelRequest {
  readonly system: string;
  readonly transcript: readonly TranscriptEntry[];
  /** What may be called in this turn; nothing else may. */
  readonly tools: readonly ToolSpec[];
  /** Arguments that work at this moment, as JSON text, by the name of the tool: for the offline rules, which show them to people. No vendor is sent them. */
  readonly examples?: ReadonlyMap<string, string>;
  /** `auto` if absent. `none` holds with every adapter; a demand for a call is passed on if the vendor supports it. */
  readonly toolChoice?: ToolChoice;
  /** False: at most one call per turn, if the vendor supports that limit. True if absent. */
  readonly parallelCalls?: boolean;
  /** Left out for a vendor that does not accept one. */
  readonly temperature?: number;
  /** The longest reply, in the model's own tokens. */
  readonly maxTokens: number;
  readonly run: ModelRun;
}

/** The run that the turn belongs to. */
export interface ModelRun {
  readonly runId: string;
  readonly profile: string;
  /** From 1; absent if the call is not a turn, for example for a summary. */
  readonly round?: number;
  /** The run's input, such as `releaseId`. */
  readonly input: JsonObject;
}

export interface ModelContext {
  readonly signal: AbortSignal;
  /** Gets the text as it arrives. Called in order; it must not throw. */
  onText(delta: string): void;
  /** Gets the arguments of calls as they are written, as far as the vendor streams them. Only the reply counts. It must not throw. */
  onArguments?(delta: ArgumentsText): void;
}

/** A piece of the JSON text of one call's arguments. */
export interface ArgumentsText {
  /** The number of the call in the turn, from 0. */
  readonly index: number;
  readonly name: string;
  readonly text: string;
}

/** Why the turn ended. `pause`: the vendor requires the transcript back, with this turn at its end, to continue. */
export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal" | "pause";

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly stop: StopReason;
  readonly usage: ModelUsage;
  /** The model that answered, which may be more exact than the requested one. */
  readonly model: string;
  /** The turn in the vendor's own form, to be stored beside it; absent if there is none. Its calls have the ids of `calls`. */
  readonly vendor?: VendorTurn;
}

export interface ModelCall {
  /** Pairs the call with its result for this provider; our own call id is different. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it, with the names of the tool's own schema restored: it may be malformed, its reader checks it. */
  readonly arguments: string;
}

export interface ModelUsage {
  /** The whole prompt, including cached tokens. */
  readonly inputTokens: number;
  /** The whole reply, including reasoning. */
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** The vendor's own figure for its charge, in millionths of a US dollar. */
  readonly costMicroUsd?: number;
  /** True if the figures are an estimate, because nobody counted. */
  readonly estimated?: boolean;
}
