import type { Json, JsonObject } from "@toolbus/contracts";

/** The vendors whose wire protocol this package implements. `compatible` is any server that speaks OpenAI's chat completions. */
export const SERVED = ["anthropic", "openai", "openrouter", "ollama", "compatible", "bedrock"] as const;
export type Served = (typeof SERVED)[number];

/** A server that speaks a vendor's protocol on loopback and refuses the same requests as the vendor. The vendor's own SDK talks to it. */
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
  /** Sets the brain that answers all later requests. */
  think(brain: Brain): void;
  /** Makes the next accepted request fail with this fault. Each of several faults applies to one request, in order. */
  failNext(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** The status of the answer. It is 200 unless the server refused the request or sent the fault `status`. */
  readonly status: number;
  /** The reason for the refusal. Absent if the request was accepted. */
  readonly refusal?: string;
}

/** Takes the place of the model. It turns the content of a request, in one form for all vendors, into an answer. */
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
  /** `raw` replaces `arguments` with the model's raw text, which may be broken. The server creates a missing id. */
  readonly calls?: readonly { readonly name: string; readonly arguments: Json; readonly raw?: string; readonly id?: string }[];
  /** If absent, the server derives it from the calls. */
  readonly stop?: "end" | "calls" | "length" | "refusal" | "pause" | "context";
  /** The model's thinking, for vendors that have it. The server signs it for this model, and a client must send it back unchanged. */
  readonly thinking?: string;
}

/** The whole answer comes late. */
export type Delay =
  /** After this many milliseconds, as from a slow model. */
  | { readonly kind: "slow"; readonly afterMs: number }
  /** When this resolves. Then the answer fails in this way, if there is one. */
  | { readonly kind: "held"; readonly until: Promise<unknown>; readonly fault?: Exclude<Fault, Delay> };

/** The way in which a request fails. */
export type Fault =
  /** An error answer in the vendor's form. `retryAfter` is in seconds. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: number; readonly message?: string }
  /** A stream that begins with status 200 and then contains the vendor's error event. */
  | { readonly kind: "error-in-stream"; readonly status: number }
  /** The connection breaks in the middle of a frame. */
  | { readonly kind: "cut" }
  /** The server sends the stream byte by byte, slower than any client waits, until the client disconnects. */
  | { readonly kind: "drip" }
  | Delay
  /** The server does not answer. The client must disconnect. */
  | { readonly kind: "hang" }
  /** Status 200 with a page of HTML. */
  | { readonly kind: "content-type" }
  /** Status 200 with JSON that is broken in the middle. */
  | { readonly kind: "broken-json" }
  /** A stream that closes normally without the mark that it is complete. */
  | { readonly kind: "no-end" }
  /** The first half of the stream, followed by silence until the client disconnects. */
  | { readonly kind: "silence" }
  | Endless;

/**
 * An endless answer, sent as fast as the client reads. `events` repeats an event from the middle of the stream. `event` is one endless event in a
 * single line or frame. `error` is the endless body of an error. `packed` compresses the answer with gzip, so that few bytes on the network become
 * many.
 */
export interface Endless {
  readonly kind: "endless";
  readonly of: "events" | "event" | "error";
  readonly packed?: boolean;
}
