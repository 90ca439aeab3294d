import type { JsonObject } from "@toolbus/contracts";

export type BrokerKind = "rabbitmq" | "nats";

/** Where a benchmark's messages go. */
export interface Place {
  /** The broker's address, without a namespace. */
  readonly url: string;
  /** In every name on the broker, so that nobody else's messages are met. */
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

/** One way to make a durable call: request and result stored by the broker, confirmed to who published them, acked when they are done with. */
export interface Driver {
  /** Resolves when calls are answered. */
  answer(place: Place): Promise<Answerer>;
  open(place: Place): Promise<Caller>;
  /** Removes what both sides left on the broker; they have stopped. */
  remove(place: Place): Promise<void>;
}

/** How many deliveries a worker holds at once, the same in every driver. */
export const PREFETCH = 128;
