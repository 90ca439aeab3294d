import { type Channel, type ChannelModel, type ConfirmChannel, connect } from "amqplib";
import { type Driver, type Place, PREFETCH } from "./driver.ts";
import { rawCalls, type RawRequest, rawWorker } from "./raw-call.ts";

const QUORUM = { durable: true, arguments: { "x-queue-type": "quorum" } };

/**
 * A hand-written driver on amqplib with the same guarantee as Toolbus: quorum queues, confirms and acks in both directions. Each side acks a message
 * when it has handled it. TCP_NODELAY is on.
 */
export const rawAmqpDriver: Driver = {
  async answer(place) {
    const { connection, consuming, publishing } = await open(place);
    const work = rawWorker();
    await consuming.consume(invokes(place), (delivery) => {
      if (!delivery) return;
      const answer = work(delivery.content.toString());
      publish(publishing, place, results(place), { ...answer, id: `${answer.id}#r` }, answer.id, () => consuming.ack(delivery));
    });
    return { stop: () => connection.close() };
  },

  async open(place) {
    const { connection, consuming, publishing } = await open(place);
    const calls = rawCalls(place.namespace);
    await consuming.consume(results(place), (delivery) => {
      if (!delivery) return;
      calls.take(delivery.content.toString());
      consuming.ack(delivery);
    });
    return {
      async call(args) {
        const { request, answered } = calls.next(args);
        const { promise: confirmed, resolve } = Promise.withResolvers<void>();
        publish(publishing, place, invokes(place), request, request.id, resolve);
        const [result] = await Promise.all([answered, confirmed]);
        return result;
      },
      stop: () => connection.close(),
    };
  },

  async remove(place) {
    const connection = await connect(place.url);
    const channel = await connection.createChannel();
    for (const queue of [invokes(place), results(place)]) await channel.deleteQueue(queue);
    await channel.deleteExchange(exchange(place));
    await connection.close();
  },
};

const exchange = ({ namespace }: Place): string => `${namespace}.calls`;
const invokes = ({ namespace }: Place): string => `${namespace}.invokes`;
const results = ({ namespace }: Place): string => `${namespace}.results`;

interface Opened {
  readonly connection: ChannelModel;
  readonly consuming: Channel;
  readonly publishing: ConfirmChannel;
}

async function open(place: Place): Promise<Opened> {
  const connection = await connect(place.url, { noDelay: true });
  connection.on("error", (error: unknown) => {
    throw error;
  });
  const consuming = await connection.createChannel();
  const publishing = await connection.createConfirmChannel();
  await consuming.assertExchange(exchange(place), "topic", { durable: true });
  for (const queue of [invokes(place), results(place)]) {
    await consuming.assertQueue(queue, QUORUM);
    await consuming.bindQueue(queue, exchange(place), queue);
  }
  await consuming.prefetch(PREFETCH);
  return { connection, consuming, publishing };
}

function publish(
  channel: ConfirmChannel,
  place: Place,
  queue: string,
  { id, text }: RawRequest,
  correlationId: string,
  confirmed: () => void,
): void {
  const properties = { messageId: id, correlationId, persistent: true, mandatory: true };
  channel.publish(exchange(place), queue, Buffer.from(text), properties, (error: Error | null) => {
    if (error) throw error;
    confirmed();
  });
}
