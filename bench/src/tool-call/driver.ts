import type { JsonObject } from "@toolbus/contracts";

export type BrokerKind = "rabbitmq" | "nats";

/** The place of a benchmark's messages. */
export interface Place {
  /** The broker's address, without a namespace. */
  readonly url: string;
  /** A part of every name on the broker, so that the driver touches no other messages. */
  readonly namespace: string;
}

/** The side that calls. */
export interface Caller {
  /** Makes one call. The arguments and the result are objects. */
  call(args: JsonObject): Promise<JsonObject>;
  stop(): Promise<void>;
}

/** The side that answers. */
export interface Answerer {
  stop(): Promise<void>;
}

/**
 * One way to make a durable call. The broker stores the request and the result, and confirms each to its publisher. The receiver acks each message
 * when it has handled it.
 */
export interface Driver {
  /** Starts to answer calls. Resolves when the answerer is ready for calls. */
  answer(place: Place): Promise<Answerer>;
  open(place: Place): Promise<Caller>;
  /** Removes the data of both sides from the broker. Both have already stopped. */
  remove(place: Place): Promise<void>;
}

/** How many unacknowledged deliveries a worker may have at once. It is the same in every driver. */
export const PREFETCH = 128;
