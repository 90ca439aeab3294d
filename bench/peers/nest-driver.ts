import "reflect-metadata";
import { Controller, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ClientProxyFactory, Ctx, MessagePattern, Payload, type RmqContext, Transport } from "@nestjs/microservices";
import { connect } from "amqplib";
import { firstValueFrom } from "rxjs";
import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { act, executorOf, noopTools } from "../src/embedded/noop-tools.ts";
import { type Driver, type Place, PREFETCH } from "../src/tool-call/driver.ts";

/**
 * NestJS on RabbitMQ, as durable as possible: a quorum queue for requests, persistent messages, acks by hand. The ack is sent before the reply.
 * Replies are transient, because NestJS offers only direct reply-to.
 */
export function nestDriver({ noDelay }: { readonly noDelay: boolean }): Driver {
  const options = ({ url, namespace }: Place) => ({
    urls: [url],
    queue: queueName(namespace),
    queueOptions: { durable: true, arguments: { "x-queue-type": "quorum" } },
    persistent: true,
    ...(noDelay ? { socketOptions: { connectionOptions: { noDelay: true } } } : {}),
  });
  return {
    async answer(place) {
      const app = await NestFactory.createMicroservice(worker(), {
        transport: Transport.RMQ,
        options: { ...options(place), noAck: false, prefetchCount: PREFETCH },
        logger: false,
      });
      await app.listen();
      return { stop: () => app.close() };
    },

    async open(place) {
      const client = ClientProxyFactory.create({ transport: Transport.RMQ, options: options(place) });
      await client.connect();
      return {
        call: (args) => firstValueFrom(client.send<JsonObject>(PATTERN, args)),
        stop: async () => void (await client.close()),
      };
    },

    async remove({ url, namespace }) {
      const connection = await connect(url);
      await (await connection.createChannel()).deleteQueue(queueName(namespace));
      await connection.close();
    },
  };
}

const PATTERN = "look";
const queueName = (namespace: string): string => `${namespace}.nest`;

/** Makes a module with one controller. The decorators are called by hand, because Node executes TypeScript without them. */
function worker(): new () => object {
  const { definition } = executorOf(noopTools(), "look");
  class LookController {
    look(args: JsonObject, context: RmqContext): JsonObject {
      if (checkArguments(definition, args).length > 0) throw new Error("a call of the benchmark has wrong arguments");
      const result = act();
      context.getChannelRef().ack(context.getMessage());
      return result;
    }
  }
  const method = Object.getOwnPropertyDescriptor(LookController.prototype, "look");
  if (!method) throw new Error("the controller has lost its method");
  Payload()(LookController.prototype, "look", 0);
  Ctx()(LookController.prototype, "look", 1);
  MessagePattern(PATTERN)(LookController.prototype, "look", method);
  Controller()(LookController);
  class WorkerModule {}
  Module({ controllers: [LookController] })(WorkerModule);
  return WorkerModule;
}
