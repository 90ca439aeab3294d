import { once } from "node:events";
import type { Message } from "@toolbus/contracts";
import { type Channel, connect } from "amqplib";
import type { RawBus } from "./raw-bus.ts";

const NAMESPACE = "toolbus";
const DEAD = "dead.";
const LATE_MS = 5000;

/** Connects to RabbitMQ through amqplib. Each request has its own channel, because a refusal closes the channel. */
export async function amqpClient(url: string): Promise<RawBus> {
  const model = await connect(url, { timeout: LATE_MS });
  model.on("error", () => undefined);
  return {
    publish: (message, copyTo) => ask(async (channel) => void sendOn(channel, message, copyTo)),
    async flood(messages) {
      const channel = await model.createConfirmChannel();
      await judged(channel, async () => {
        for (const message of messages) if (!sendOn(channel, message)) await once(channel, "drain");
        await channel.waitForConfirms();
      });
      await channel.close();
    },
    take: (topic) => ask(async (channel) => void (await channel.get(queueOf(topic), { noAck: true }))),
    async readAlong(topic) {
      const channel = await model.createChannel();
      let came = false;
      await judged(channel, async () => {
        const { queue } = await channel.assertQueue("", { exclusive: true });
        await channel.bindQueue(queue, `${NAMESPACE}.work`, topic);
        await channel.consume(queue, () => void (came = true), { noAck: true });
      });
      return {
        async end() {
          await channel.close();
          return came;
        },
      };
    },
    purge: (topic) => ask(async (channel) => void (await channel.purgeQueue(queueOf(topic)))),
    remove: (topic) => ask(async (channel) => void (await channel.deleteQueue(queueOf(topic)))),
    // Each listener of announcements has its own queue. A login that may not declare a queue with this name receives no announcements.
    overhear: (user) =>
      ask(async (channel) => {
        await channel.assertQueue(`${NAMESPACE}.listen.${user}`, { exclusive: true });
        await channel.bindQueue(`${NAMESPACE}.listen.${user}`, `${NAMESPACE}.broadcast`, "#");
      }),
    [Symbol.asyncDispose]: async () => await model.close().catch(() => undefined),
  };

  async function ask(work: (channel: Channel) => Promise<void>): Promise<void> {
    const channel = await model.createChannel();
    await judged(channel, async () => {
      await work(channel);
      // RabbitMQ does not answer a publish. But it answers the next request on the channel, and only after it has accepted or refused the publish.
      await channel.prefetch(1);
    });
    await channel.close();
  }
}

/** Publishes a message. Returns false if the socket is full. The caller should then wait for "drain" before the next message. */
function sendOn(channel: Channel, { topic, ...message }: Message, copyTo?: string): boolean {
  const { id: messageId, type, source, time, correlationId, replyTo, attributes, body } = message;
  const headers = {
    "ce-specversion": "1.0",
    "ce-source": source,
    "ce-time": time,
    ...attributes,
    ...(copyTo === undefined ? {} : { CC: [copyTo] }),
  };
  const options = { messageId, type, headers, contentType: "application/json", persistent: true };
  const more = { ...(correlationId === undefined ? {} : { correlationId }), ...(replyTo === undefined ? {} : { replyTo }) };
  const [exchange, key] = topic.startsWith(DEAD) ? ["dead", topic.slice(DEAD.length)] : ["work", topic];
  return channel.publish(`${NAMESPACE}.${exchange}`, key ?? topic, Buffer.from(body), { ...options, ...more });
}

async function judged(channel: Channel, work: () => Promise<void>): Promise<void> {
  const { promise: closed, reject } = Promise.withResolvers<never>();
  channel.on("error", reject);
  closed.catch(() => undefined);
  await Promise.race([work(), closed]);
}

function queueOf(topic: string): string {
  return `${NAMESPACE}.queue.${topic}`;
}
