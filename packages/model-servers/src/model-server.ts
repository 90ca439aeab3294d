import type { Json, JsonObject } from "@toolbus/contracts";

/** The vendors whose wire protocol is spoken here. `compatible` is any server that speaks OpenAI's chat completions. */
export const SERVED = ["anthropic", "openai", "openrouter", "ollama", "compatible", "bedrock"] as const;
export type Served = (typeof SERVED)[number];

/** A server that speaks a vendor's protocol on loopback and refuses what the vendor refuses; the vendor's own SDK talks to it. */
export interface ModelServer {
  readonly vendor: Served;
  /** What an adapter is given as its base address. */
  readonly url: string;
  /** The one key that is accepted; for Bedrock the secret of the access key `AKIDTOOLBUS`. */
  readonly key: string;
  /** The one model that exists. */
  readonly model: string;
  /** Every request that was answered, refused ones too, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** From now on this answers. */
  think(brain: Brain): void;
  /** The next request meets this instead of an answer; more calls queue up. */
  failNext(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** 200, or what it was refused with. */
  readonly status: number;
  /** Why it was refused; absent when it was not. */
  readonly refusal?: string;
}

/** What a model would think: from what the request says, in one form for all vendors, to what it answers. */
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
  /** Arguments as a value, or as the raw text that the model wrote: it may be broken. Without an id the server makes one. */
  readonly calls?: readonly { readonly name: string; readonly arguments: Json; readonly raw?: string; readonly id?: string }[];
  /** By default what follows from the calls. */
  readonly stop?: "end" | "calls" | "length" | "refusal" | "pause" | "context";
  /** Thinking, signed for this model, where the vendor has such a thing: it must come back as it was. */
  readonly thinking?: string;
}

/** How a request goes wrong. */
export type Fault =
  /** An error answer in the vendor's form. `retryAfter` in seconds. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: number; readonly message?: string }
  /** 200, a stream that begins, and the vendor's error event in it. */
  | { readonly kind: "error-in-stream"; readonly status: number }
  /** The connection is cut in the middle of a frame. */
  | { readonly kind: "cut" }
  /** The stream comes byte by byte, slower than anybody waits, until the client leaves. */
  | { readonly kind: "drip" }
  /** The whole answer, after this many milliseconds: a model that takes its time. */
  | { readonly kind: "slow"; readonly afterMs: number }
  /** No answer at all until the client leaves. */
  | { readonly kind: "hang" }
  /** 200 with a page of HTML. */
  | { readonly kind: "content-type" }
  /** 200 with JSON that is broken in the middle. */
  | { readonly kind: "broken-json" }
  /** A stream that ends politely without saying that it is done. */
  | { readonly kind: "no-end" }
  /** The first half of the stream, and then nothing until the client leaves. */
  | { readonly kind: "silence" }
  | Endless;

/**
 * What never ends, as fast as the client reads: `events`, one of the middle of the stream again and again; one `event`, in a single line or frame; the body of
 * an `error`. `packed`: with gzip, so that little is sent and much is read.
 */
export interface Endless {
  readonly kind: "endless";
  readonly of: "events" | "event" | "error";
  readonly packed?: boolean;
}
