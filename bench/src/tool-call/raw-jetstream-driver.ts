import {
  AckPolicy,
  type ConsumerMessages,
  type JetStreamClient,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { dialNats } from "./dial-nats.ts";
import { type Driver, type Place, PREFETCH } from "./driver.ts";
import { rawCalls, rawWorker } from "./raw-call.ts";

const KINDS = ["invokes", "results"] as const;

type Kind = (typeof KINDS)[number];

/**
 * A hand-written driver on the client's own JetStream API with the same guarantee as Toolbus: work queues on file, publish acks, and acks in both
 * directions. Each side acks a message when it has handled it.
 */
export const rawJetStreamDriver: Driver = {
  async answer(place) {
    const connection = await dialNats(place.url);
    await declare(connection, place);
    const stream = jetstream(connection);
    const work = rawWorker();
    const consuming = await consume(stream, place, "invokes", async (message) => {
      const { id, text } = work(message.string());
      await stream.publish(subject(place, "results"), text, { msgID: `${id}#r` });
      message.ack();
    });
    return { stop: () => ended(consuming, connection) };
  },

  async open(place) {
    const connection = await dialNats(place.url);
    await declare(connection, place);
    const stream = jetstream(connection);
    const calls = rawCalls(place.namespace);
    const consuming = await consume(stream, place, "results", async (message) => {
      calls.take(message.string());
      message.ack();
    });
    return {
      async call(args) {
        const { request, answered } = calls.next(args);
        const [result] = await Promise.all([answered, stream.publish(subject(place, "invokes"), request.text, { msgID: request.id })]);
        return result;
      },
      stop: () => ended(consuming, connection),
    };
  },

  async remove(place) {
    const connection = await dialNats(place.url);
    const manager = await jetstreamManager(connection);
    for (const kind of KINDS) await manager.streams.delete(streamName(place, kind));
    await connection.close();
  },
};

const subject = ({ namespace }: Place, kind: Kind): string => `${namespace}.${kind}`;
const streamName = ({ namespace }: Place, kind: Kind): string => `${namespace}-${kind}`;

async function ended(consuming: ConsumerMessages, connection: NatsConnection): Promise<void> {
  await consuming.close();
  await connection.close();
}

async function declare(connection: NatsConnection, place: Place): Promise<void> {
  const manager = await jetstreamManager(connection);
  for (const kind of KINDS) {
    const name = streamName(place, kind);
    await manager.streams.add({ name, subjects: [subject(place, kind)], retention: RetentionPolicy.Workqueue, storage: StorageType.File });
    await manager.consumers.add(name, { durable_name: kind, ack_policy: AckPolicy.Explicit, max_ack_pending: PREFETCH });
  }
}

/** Handles messages in parallel, so that one message does not delay the next. */
async function consume(
  stream: JetStreamClient,
  place: Place,
  kind: Kind,
  take: (message: JsMsg) => Promise<void>,
): Promise<ConsumerMessages> {
  const consumer = await stream.consumers.get(streamName(place, kind), kind);
  const messages = await consumer.consume({ max_messages: PREFETCH });
  void (async () => {
    for await (const message of messages) void take(message);
  })();
  return messages;
}
