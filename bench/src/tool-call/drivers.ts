import { peerModule } from "../peer-module.ts";
import type { Driver } from "./driver.ts";

/**
 * Every driver. Each driver's module is loaded in the process that uses the driver. The drivers of other libraries need packages that npm installs
 * into bench/peers.
 */
export const drivers = {
  "Toolbus on RabbitMQ": async (): Promise<Driver> => (await import("./toolbus-driver.ts")).toolbusDriver("rabbitmq"),
  "Toolbus on JetStream": async (): Promise<Driver> => (await import("./toolbus-driver.ts")).toolbusDriver("nats"),
  "raw amqplib": async (): Promise<Driver> => (await import("./raw-amqp-driver.ts")).rawAmqpDriver,
  "raw JetStream": async (): Promise<Driver> => (await import("./raw-jetstream-driver.ts")).rawJetStreamDriver,
  "NestJS as shipped": () => peerDriver("nest-as-shipped"),
  "NestJS with noDelay": () => peerDriver("nest-no-delay"),
  "moleculer as shipped": () => peerDriver("moleculer-as-shipped"),
} as const;

export type DriverName = keyof typeof drivers;

async function peerDriver(name: "nest-as-shipped" | "nest-no-delay" | "moleculer-as-shipped"): Promise<Driver> {
  return (await peerModule<{ readonly driver: Driver }>(name)).driver;
}
