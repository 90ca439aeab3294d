import type { Json } from "@toolbus/contracts";
import type { Brain } from "../model-server.ts";

/** One vendor's protocol over one HTTP exchange. The server handles sockets, faults and awkward pieces. */
export interface Protocol {
  readonly key: string;
  readonly model: string;
  /** The path after the origin in an adapter's base address: `/v1`, or nothing. */
  readonly base: string;
  /** A pure function of the request and the brain, except for what the vendor itself remembers. */
  answer(request: Arrived, brain: Brain): Reply;
  /** An error in the vendor's form. */
  failure(status: number, message: string): Plain;
}

/** A whole request. */
export interface Arrived {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  /** The path in its encoded form, without the query. */
  readonly rawPath: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Undefined if the text is not JSON. */
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
  /** The same answer from a server that never says how the turn ended. */
  readonly unended?: Json;
}

export interface Streamed {
  readonly kind: "stream";
  readonly headers: Readonly<Record<string, string>>;
  /** One frame each, up to the end of the turn. */
  readonly frames: readonly Buffer[];
  /** The frames that say that the turn is over, and how. */
  readonly ending: readonly Buffer[];
  /** A whole frame whose JSON is broken in the middle. */
  readonly broken: Buffer;
  /** The vendor's error inside a stream that began normally. */
  failed(status: number): Buffer;
}
