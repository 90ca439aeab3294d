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

/** Every driver; each is loaded where it runs. Those of peers need what npm installs into their folder. */
export const drivers = {
  "Toolbus on RabbitMQ": async (): Promise<Driver> => (await import("./toolbus-driver.ts")).toolbusDriver("rabbitmq"),
  "Toolbus on JetStream": async (): Promise<Driver> => (await import("./toolbus-driver.ts")).toolbusDriver("nats"),
  "raw amqplib": async (): Promise<Driver> => (await import("./raw-amqp-driver.ts")).rawAmqpDriver,
  "raw JetStream": async (): Promise<Driver> => (await import("./raw-jetstream-driver.ts")).rawJetStreamDriver,
  "NestJS as shipped": async (): Promise<Driver> => (await import("./peer-driver.ts")).peerDriver("nest-as-shipped"),
  "NestJS with noDelay": async (): Promise<Driver> => (await import("./peer-driver.ts")).peerDriver("nest-no-delay"),
  "moleculer as shipped": async (): Promise<Driver> => (await import("./peer-driver.ts")).peerDriver("moleculer-as-shipped"),
} as const;

export type DriverName = keyof typeof drivers;

/** How many deliveries a worker holds at once, the same in every driver. */
export const PREFETCH = 128;
