import type { JsonObject, ToolChoice, TranscriptEntry, VendorTurn } from "@toolbus/contracts";
import type { DialectName } from "./schema/dialect.ts";
import type { ToolSpec } from "./schema/tool-spec.ts";

/**
 * A model. It reads the neutral transcript and returns one turn with text, tool calls or both. A model only decides what to do. It never runs a tool,
 * and it stores nothing between calls. So every request must contain everything that the model needs to know.
 *
 * Every adapter guarantees the following, and `describeModelProvider` proves it:
 * - It refuses a transcript whose calls and results do not pair. It throws `UnpairedTranscript` before it sends anything.
 * - The deltas that `onText` receives form the reply's text. No delta arrives after `complete` has settled or its signal has aborted.
 * - A reply is complete. If the stream breaks off, `complete` rejects, and the text that was streamed before is invalid.
 * - The ids of the calls differ from one another and from every id in the transcript, whatever the vendor sent.
 * - With the tool choice `none`, the reply has no calls.
 * - `stop` is `tool_use` exactly if the reply has calls. A reply that was cut off has no calls, because an incomplete call is invalid.
 * - It omits a tool that it cannot convert into the vendor's form. This tool never makes the request fail.
 * - It converts a turn of another provider, or of this loop (a seed turn), into this vendor's form. It sends its own turns back unchanged.
 *
 * The adapter sends one request. Its caller retries, logs and measures. The signal is the deadline. `AnswerBounds` limits the size of the answer and
 * its pauses, whatever the vendor sends.
 */
export interface ModelProvider {
  /** The provider's name in the configuration, such as `offline` or `anthropic`. */
  readonly name: string;
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  /** The vendor's rules for tools. For each tool, `complete` sends exactly the result of `compileTool(tool, dialect)`. */
  readonly dialect: DialectName;
  /**
   * Returns one turn. Rejects with the signal's reason soon after the signal aborts, and otherwise with a class of `model-errors.ts`. Its `retryable`
   * shows whether exactly the same request may succeed later.
   */
  complete(request: ModelRequest, context: ModelContext): Promise<ModelReply>;
  /** Returns about how many tokens this prompt needs, for planning and never for billing. A longer prompt never has a smaller estimate. */
  estimateTokens(entries: readonly TranscriptEntry[], system: string): number;
  /**
   * Returns a number that `estimateTokens([entry], "")` never exceeds, without counting. A prompt that fits by these numbers is not counted. Absent if
   * the provider's estimate is as cheap.
   */
  mostTokens?(entry: TranscriptEntry): number;
}

/** The abilities of a model. An agent whose model has no tools answers with text. */
export interface ModelCapabilities {
  readonly tools: boolean;
  /** True if text arrives in pieces, and false if it arrives as a whole. */
  readonly streaming: boolean;
  readonly vision: boolean;
  /** False if the vendor refuses a temperature. The adapter then sends none. */
  readonly sampling: boolean;
  /** The limit of prompt and reply together, in the model's own tokens. */
  readonly contextTokens: number;
  /** The longest reply, in tokens. */
  readonly maxOutputTokens: number;
  /** The longest tool result for the prompt, in characters. A longer result is stored in working memory, and the model receives its index. */
  readonly resultChars: number;
}

export interface ModelRequest {
  readonly system: string;
  readonly transcript: readonly TranscriptEntry[];
  /** The only tools that the model may call in this turn. */
  readonly tools: readonly ToolSpec[];
  /**
   * Arguments that work at this moment, as JSON text, by the name of the tool. The offline rules show them to people, and no vendor receives them.
   */
  readonly examples?: ReadonlyMap<string, string>;
  /** `auto` if absent. Every adapter enforces `none`. If the vendor supports a demand for a call, the adapter sends it. */
  readonly toolChoice?: ToolChoice;
  /** False allows at most one call per turn, if the vendor supports this limit. True if absent. */
  readonly parallelCalls?: boolean;
  /** The adapter omits the temperature for a vendor that does not accept one. */
  readonly temperature?: number;
  /** The longest reply, in the model's own tokens. */
  readonly maxTokens: number;
  readonly run: ModelRun;
}

/** The run that the turn belongs to. */
export interface ModelRun {
  readonly runId: string;
  readonly profile: string;
  /** The number of the round, from 1. Absent if the call is not a turn, such as the call for a summary. */
  readonly round?: number;
  /** The run's input, such as `releaseId`. */
  readonly input: JsonObject;
}

export interface ModelContext {
  readonly signal: AbortSignal;
  /** Receives the text in order, as it arrives. The callback must not throw. */
  onText(delta: string): void;
  /**
   * Receives the arguments of calls as the model writes them, if the vendor streams them. Only the arguments in the reply are valid. The callback
   * must not throw.
   */
  onArguments?(delta: ArgumentsText): void;
}

/** A piece of the JSON text of one call's arguments. */
export interface ArgumentsText {
  /** The number of the call in the turn, from 0. */
  readonly index: number;
  readonly name: string;
  readonly text: string;
}

/** The reason why the turn ended. After `pause`, the vendor continues when it receives the transcript with this turn at the end. */
export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal" | "pause";

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly stop: StopReason;
  readonly usage: ModelUsage;
  /** The name of the model that answered, which may be more exact than the requested name. */
  readonly model: string;
  /**
   * The turn in the vendor's own form. The agent stores this form with the turn. Absent if the vendor has no such form. Its calls have the ids of
   * `calls`.
   */
  readonly vendor?: VendorTurn;
}

export interface ModelCall {
  /** The id that pairs the call with its result for this provider. Our own call id is different. */
  readonly id: string;
  readonly name: string;
  /**
   * The JSON text as the model wrote it, with the names of the tool's own schema restored. The text may be malformed, so every reader must check it.
   */
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
  /** True if the figures are an estimate, because the provider reported none. */
  readonly estimated?: boolean;
}
