import type { Json, JsonObject } from "@toolbus/contracts";

/** The vendors whose wire protocol this package speaks. `compatible` is any server that speaks OpenAI's chat completions. */
export const SERVED = ["anthropic", "openai", "openrouter", "ollama", "compatible", "bedrock"] as const;
export type Served = (typeof SERVED)[number];

/** A server that speaks a vendor's protocol on loopback and refuses what the vendor refuses. The vendor's own SDK talks to it. */
export interface ModelServer {
  readonly vendor: Served;
  /** The base address for an adapter. */
  readonly url: string;
  /** The only key that is accepted. For Bedrock it is the secret of the access key `AKIDTOOLBUS`. */
  readonly key: string;
  /** The only model that exists. */
  readonly model: string;
  /** Every answered request, including refused ones, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** From now on this brain answers. */
  think(brain: Brain): void;
  /** The next request gets this fault instead of an answer. Several calls queue up. */
  failNext(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** 200, or the status of the refusal. */
  readonly status: number;
  /** Why it was refused; absent if it was not. */
  readonly refusal?: string;
}

/** The model's part: from the content of a request, in one form for all vendors, to its answer. */
export type Brain = (asked: Asked) => Answered;

export interface Asked {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly AskedMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: JsonObject; readonly strict: boolean }[];
  readonly toolChoice: "auto" | "none" | "required" | { readonly name: string };
  readonly parallelCalls: boolean;
  readonly maxTokens: number | null;
}

export type AskedMessage =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: Json }[];
    }
  | { readonly role: "tool"; readonly id: string; readonly content: string; readonly isError: boolean };

export interface Answered {
  readonly text?: string;
  /** Arguments as a value, or as the model's raw text, which may be broken. Without an id, the server creates one. */
  readonly calls?: readonly { readonly name: string; readonly arguments: Json; readonly raw?: string; readonly id?: string }[];
  /** By default it follows from the calls. */
  readonly stop?: "end" | "calls" | "length" | "refusal" | "pause" | "context";
  /** Thinking, signed for this model, if the vendor has it. It must come back unchanged. */
  readonly thinking?: string;
}

/** How a request fails. */
export type Fault =
  /** An error answer in the vendor's form. `retryAfter` in seconds. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: number; readonly message?: string }
  /** 200, a stream that begins, and then the vendor's error event. */
  | { readonly kind: "error-in-stream"; readonly status: number }
  /** The connection breaks in the middle of a frame. */
  | { readonly kind: "cut" }
  /** The stream comes byte by byte, slower than any client waits, until the client disconnects. */
  | { readonly kind: "drip" }
  /** The whole answer, after this many milliseconds: a slow model. */
  | { readonly kind: "slow"; readonly afterMs: number }
  /** No answer at all until the client disconnects. */
  | { readonly kind: "hang" }
  /** 200 with a page of HTML. */
  | { readonly kind: "content-type" }
  /** 200 with JSON that is broken in the middle. */
  | { readonly kind: "broken-json" }
  /** A stream that ends properly without a mark that it is complete. */
  | { readonly kind: "no-end" }
  /** The first half of the stream, and then nothing until the client disconnects. */
  | { readonly kind: "silence" }
  | Endless;

/**
 * An answer without end, as fast as the client reads: `events` repeats an event of the middle of the stream; `event` is one event in a single line
 * or frame; `error` is the body of an error. `packed`: with gzip, so that few bytes on the network become many.
 */
export interface Endless {
  readonly kind: "endless";
  readonly of: "events" | "event" | "error";
  readonly packed?: boolean;
}
