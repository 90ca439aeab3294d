import type { Json } from "@toolbus/contracts";

/** A chunk of a streamed chat completion, as servers really send it. Unlike in OpenAI's description, every member may be missing or null. */
export interface ChatChunk {
  readonly model?: string | null;
  readonly choices?: readonly ChatChoice[] | null;
  readonly usage?: ChatUsage | null;
  /** A failure in a stream that began without an error. */
  readonly error?: Json;
}

export interface ChatChoice {
  readonly index?: number | null;
  readonly delta?: ChatDelta | null;
  readonly finish_reason?: string | null;
}

export interface ChatDelta {
  /** Text, or parts that contain text. */
  readonly content?: Json;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ToolCallDelta[] | null;
  readonly reasoning?: Json;
  readonly reasoning_content?: Json;
  readonly reasoning_details?: Json;
}

export interface ToolCallDelta {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly type?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: Json } | null;
}

export interface ChatUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null; readonly cache_write_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
  /** OpenRouter's cost in credits. One credit is one US dollar. */
  readonly cost?: number | null;
}
