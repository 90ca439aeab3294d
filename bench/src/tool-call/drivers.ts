import type { Driver } from "./driver.ts";

/** Every driver; each is loaded where it runs. Those of peers need the packages that npm installs into their folder. */
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
