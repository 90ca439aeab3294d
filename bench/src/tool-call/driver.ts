import type { JsonObject } from "@toolbus/contracts";

export type BrokerKind = "rabbitmq" | "nats";

/** The place of a benchmark's messages. */
export interface Place {
  /** The broker's address, without a namespace. */
  readonly url: string;
  /** In every name on the broker, so that no other messages are touched. */
  readonly namespace: string;
}

/** The side that calls. */
export interface Caller {
  /** One call, from the arguments as an object to the result as one. */
  call(args: JsonObject): Promise<JsonObject>;
  stop(): Promise<void>;
}

/** The side that answers. */
export interface Answerer {
  stop(): Promise<void>;
}

/** One way to make a durable call: request and result are stored by the broker, confirmed to their publishers, and acked when they have been handled. */
export interface Driver {
  /** Resolves when calls are answered. */
  answer(place: Place): Promise<Answerer>;
  open(place: Place): Promise<Caller>;
  /** Removes what both sides left on the broker; they have already stopped. */
  remove(place: Place): Promise<void>;
}

/** How many deliveries a worker holds at once, the same in every driver. */
export const PREFETCH = 128;
