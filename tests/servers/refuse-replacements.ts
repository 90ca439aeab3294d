import { connect } from "amqplib";
import { amqpTopology } from "@toolbus/bus";
import type { Refuse } from "@toolbus/bus/conformance";
import { topics } from "@toolbus/contracts";
import { natsClient } from "./nats-client.ts";

/** The arguments of a queue that accepts nothing. RabbitMQ refuses each message for this queue with a nack. */
const FULL = { "x-max-length": 0, "x-overflow": "reject-publish" };
/** The delay of one retry queue, in milliseconds. */
const RUNG_MS = 250;

/** Makes RabbitMQ refuse a topic's dead letters, or its retries with the delay `RUNG_MS`. Returns a function that ends this. */
export async function refuseOnRabbitmq(url: string, namespace: string, { topic, as }: Parameters<Refuse>[0]): Promise<() => Promise<void>> {
  const wanted = as === "retry" ? `${namespace}.retry.${RUNG_MS}.${topic}` : `${namespace}.queue.${topics.dead(topic)}`;
  const queue = amqpTopology(namespace, [topic]).queues.find(({ name }) => name === wanted);
  if (!queue) throw new Error(`The bus has no queue ${wanted}.`);
  const connection = await connect(url);
  const channel = await connection.createChannel();
  await channel.deleteQueue(queue.name);
  await channel.assertQueue(queue.name, { arguments: FULL });
  for (const { exchange, routingKey } of queue.bindings) await channel.bindQueue(queue.name, exchange, routingKey);
  return async () => {
    // If a message is routed to a deleted queue, RabbitMQ confirms the message but loses it. So the bindings are removed before the queue is deleted.
    for (const { exchange, routingKey } of queue.bindings) await channel.unbindQueue(queue.name, exchange, routingKey);
    // The bus declares its own queue again.
    await channel.deleteQueue(queue.name);
    await connection.close();
  };
}

/**
 * Makes NATS refuse every dead letter of a namespace: the stream has room for one message and already contains one. Returns a function that ends
 * this.
 */
export async function refuseOnNats(url: string, namespace: string, topic: string): Promise<() => Promise<void>> {
  await using client = await natsClient(url);
  const name = `${namespace}_dead`.toUpperCase();
  await client.store(`${namespace}.dead.${topics.dead(topic)}`, "in the way");
  const config = (await client.ask(`$JS.API.STREAM.INFO.${name}`)).get("config") as object;
  await client.ask(`$JS.API.STREAM.UPDATE.${name}`, { ...config, max_msgs: 1 });
  return async () => {
    await using again = await natsClient(url);
    await again.ask(`$JS.API.STREAM.UPDATE.${name}`, config);
  };
}
