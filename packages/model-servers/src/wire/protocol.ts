import type { Json } from "@toolbus/contracts";
import type { Brain } from "../model-server.ts";

/** One vendor's protocol over one HTTP exchange. The server handles sockets, faults and awkward pieces. */
export interface Protocol {
  readonly key: string;
  readonly model: string;
  /** The path after the origin in an adapter's base address, such as `/v1`, or an empty text. */
  readonly base: string;
  /** Answers a request. The answer depends only on the request, the brain and the vendor's own memory. */
  answer(request: Arrived, brain: Brain): Reply;
  /** Returns an error in the vendor's form. */
  failure(status: number, message: string): Plain;
}

/** A whole request. */
export interface Arrived {
  readonly method: string;
  /** The decoded path, without the query. */
  readonly path: string;
  /** The path in its encoded form, without the query. */
  readonly rawPath: string;
  readonly query: URLSearchParams;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The value of the JSON text. Undefined if the text is not JSON. */
  readonly body: Json | undefined;
}

export type Reply = Plain | Streamed;

export interface Plain {
  readonly kind: "plain";
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Json;
  /** The rule that refused the request, and its message. */
  readonly refusal?: string;
  /** The body from a server that does not report how the turn ended. */
  readonly unended?: Json;
}

export interface Streamed {
  readonly kind: "stream";
  readonly headers: Readonly<Record<string, string>>;
  /** The frames up to the end of the turn, one per buffer. */
  readonly frames: readonly Buffer[];
  /** The frames that report the end of the turn and its reason. */
  readonly ending: readonly Buffer[];
  /** A whole frame whose JSON is broken in the middle. */
  readonly broken: Buffer;
  /** Returns the frame of the vendor's error in a stream that began normally. */
  failed(status: number): Buffer;
}
