import type { Channel } from "amqplib";
import { topics, type TopicRights, type TriedRight } from "@toolbus/contracts";
import type { AmqpSettings } from "./amqp-url.ts";
import { openBrokerSession } from "./broker-session.ts";
import { broadcastRoute, exchangeName, listenQueueName, queueName, queueRoute, retryRoute, type Route } from "./topology.ts";

/**
 * Tries every action on the broker with the login of a URL, in the URL's namespace. All queues of `everything` must exist there. Their content may be
 * lost. Rejects with `BusUnavailable` if the broker does not answer.
 */
export async function tryAmqpRights(
  settings: AmqpSettings,
  rights: TopicRights,
  everything: { readonly queues: readonly string[]; readonly broadcasts: readonly string[] },
): Promise<readonly TriedRight[]> {
  const { namespace, user } = settings;
  const { publishes, consumes, announces, listens } = rights;
  await using session = await openBrokerSession(settings);
  const tried: TriedRight[] = [];
  const held = [...everything.queues, ...everything.queues.map((topic) => topics.dead(topic))];
  const listening = listenQueueName(namespace, `${user}-tries`);

  for (const topic of held) {
    const isOwn = consumes.includes(topic);
    if (everything.queues.includes(topic))
      await attempt(`publish ${topic}`, publishes.includes(topic), published(queueRoute(namespace, topic)));
    await attempt(`publish a dead letter of ${topic}`, isOwn, published(queueRoute(namespace, topics.dead(topic))));
    await attempt(`publish ${topic} to come again`, isOwn, published(retryRoute(namespace, topic, 250)));
    await attempt(`consume ${topic}`, isOwn, (channel) => channel.get(queueName(namespace, topic), { noAck: false }));
    await attempt(`empty the queue of ${topic}`, isOwn, (channel) => channel.purgeQueue(queueName(namespace, topic)));
    await attempt(`publish ${topic} by the default exchange`, false, published({ exchange: "", routingKey: queueName(namespace, topic) }));
    await attempt(`bind the queue of ${topic}`, false, (channel) =>
      channel.bindQueue(queueName(namespace, topic), exchangeName(namespace, "work"), "stolen"),
    );
    await attempt(`bind a queue of its own to ${topic}`, false, (channel) => boundToWork(channel, topic));
    await attempt(`delete the queue of ${topic}`, false, (channel) => channel.deleteQueue(queueName(namespace, topic), { ifEmpty: false }));
  }
  for (const topic of everything.broadcasts) {
    await attempt(`announce ${topic}`, announces.includes(topic), published(broadcastRoute(namespace, topic)));
    await attempt(`listen to ${topic}`, listens.includes(topic), (channel) => listened(channel, topic));
  }
  await attempt("declare a queue", false, (channel) =>
    channel.assertQueue(`${namespace}.queue.stranger`, { arguments: { "x-queue-type": "quorum" } }),
  );
  await attempt("declare a queue of another name", false, (channel) =>
    channel.assertQueue(`permissions-check-${user}`, { exclusive: true }),
  );
  await attempt("declare an exchange", false, (channel) => channel.assertExchange(`${namespace}.stranger`, "fanout", { autoDelete: true }));
  await attempt("delete an exchange", false, (channel) => channel.deleteExchange(exchangeName(namespace, "retry")));
  await attempt("publish to an exchange of the broker", false, published({ exchange: "amq.topic", routingKey: "permissions.check" }));
  return tried;

  async function attempt(what: string, isAllowed: boolean, work: (channel: Channel) => Promise<unknown> | boolean): Promise<void> {
    const refusal = await session.ask(work);
    tried.push({ what, expected: isAllowed ? "allowed" : "refused", found: wasRefused(refusal) ? "refused" : "allowed" });
  }

  async function listened(channel: Channel, topic: string): Promise<void> {
    const { exchange, routingKey } = broadcastRoute(namespace, topic);
    await channel.assertQueue(listening, LISTENING);
    await channel.bindQueue(listening, exchange, routingKey);
    await channel.consume(listening, () => undefined, { noAck: true });
  }

  async function boundToWork(channel: Channel, topic: string): Promise<void> {
    const { exchange, routingKey } = queueRoute(namespace, topic);
    await channel.assertQueue(listening, LISTENING);
    await channel.bindQueue(listening, exchange, routingKey);
  }
}

const PROBE = Buffer.from("{}");
const LISTENING = { exclusive: true, autoDelete: true, durable: false, arguments: { "x-queue-type": "classic" } };

function published({ exchange, routingKey }: Route): (channel: Channel) => boolean {
  return (channel) => channel.publish(exchange, routingKey, PROBE);
}

/**
 * Returns whether the broker refused for lack of rights. The broker checks rights first. So a refusal for any other reason proves that the login has
 * the right.
 */
function wasRefused(refusal: string | null): boolean {
  return refusal !== null && refusal.startsWith("ACCESS_REFUSED");
}
