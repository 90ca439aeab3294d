import { BusUnavailable } from "../message-bus.ts";
import type { AmqpSettings } from "./amqp-url.ts";
import { type BrokerSession, openBrokerSession } from "./broker-session.ts";
import { amqpQueues } from "./rights.ts";
import { EXCHANGE_KINDS, exchangeName, type QueueDeclaration } from "./topology.ts";

/** Declares the exchanges, and the queues of these topics with their ladders. Repeating it is safe. Rejects with `BusUnavailable` if it fails. */
export async function setUpAmqp(settings: AmqpSettings, queues: readonly string[], rungs?: readonly number[]): Promise<void> {
  await using session = await openBrokerSession(settings);
  for (const kind of EXCHANGE_KINDS)
    await granted(session, `the exchange "${exchangeName(settings.namespace, kind)}"`, (channel) =>
      channel.assertExchange(exchangeName(settings.namespace, kind), "topic", { durable: true }),
    );
  for (const declaration of amqpQueues(settings.namespace, queues, rungs)) await declare(session, declaration);
}

/** Removes everything that `setUpAmqp` declares. */
export async function removeAmqp(settings: AmqpSettings, queues: readonly string[], rungs?: readonly number[]): Promise<void> {
  await using session = await openBrokerSession(settings);
  for (const { name } of amqpQueues(settings.namespace, queues, rungs)) await session.ask((channel) => channel.deleteQueue(name));
  for (const kind of EXCHANGE_KINDS) await session.ask((channel) => channel.deleteExchange(exchangeName(settings.namespace, kind)));
}

async function declare(session: BrokerSession, { name, arguments: args, bindings }: QueueDeclaration): Promise<void> {
  await granted(session, `the queue "${name}"`, async (channel) => {
    await channel.assertQueue(name, { durable: true, arguments: args });
    for (const { exchange, routingKey } of bindings) await channel.bindQueue(name, exchange, routingKey);
  });
}

async function granted(session: BrokerSession, what: string, work: Parameters<BrokerSession["ask"]>[0]): Promise<void> {
  const refusal = await session.ask(work);
  if (refusal !== null) throw new BusUnavailable(`RabbitMQ refused ${what}: ${refusal}.`);
}
