import { randomUUID } from "node:crypto";
import { topics } from "@toolbus/contracts";
import { BUS_IS_CLOSED, BusUnavailable, type MessageBus, Unroutable } from "../message-bus.ts";
import { faultFields, logUntil, type PipelineLog } from "../pipeline-log.ts";
import { type AmqpSettings, parseAmqpUrl } from "./amqp-url.ts";
import { type AmqpConsumer, openConsumer } from "./consumer.ts";
import { declarer } from "./declare.ts";
import { firstPublications } from "./first-publications.ts";
import { CLOSED, type Link, openLink, type Session } from "./link.ts";
import { listeners } from "./listeners.ts";
import { policyDifferences } from "./management.ts";
import { amqpPolicies } from "./policies.ts";
import { openPublisher } from "./publisher.ts";
import { broadcastRoute, isTopic, queueRoute } from "./topology.ts";
import { toWire } from "./wire.ts";

/** Times are in milliseconds. */
export interface AmqpBusOptions {
  /** The wall clock, which dates dead letters. */
  readonly clock: () => number;
  readonly log: PipelineLog;
  /** Returns a random number from 0 up to 1, which spreads the attempts of many processes to reach the broker. */
  readonly random: () => number;
  /** How long a stop waits for running handlers. */
  readonly drainMs: number;
  /** How long to retry the first connection to a server that does not answer. */
  readonly connectForMs: number;
  /** How long a publish may wait for the broker's confirm. */
  readonly confirmMs: number;
}

/**
 * Opens the bus on RabbitMQ 3.10 or newer, over two connections. A server that is short of memory or disk stops reading from publishing connections.
 * Acks relieve such a server, so they use a separate connection. Every queue is a quorum queue (`topology.ts`).
 *
 * - A delayed retry waits in a ladder of queues, so its delay is rounded down to 0.25, 1, 5, 30 or 120 s. A delay of up to 0.1 s is ignored.
 * - `count` is the broker's count of its own redeliveries, plus our count of retries.
 * - An operator limits the length of queues with policies (`amqpPolicies`). If the URL has the option `management=http://…`, the bus checks the
 *   policies at start and logs differences as warnings. Without this option nobody checks them.
 */
export async function amqpBus(url: string, given: AmqpBusOptions): Promise<MessageBus> {
  const parsed = parseAmqpUrl(url);
  if (!parsed.ok) throw new BusUnavailable(parsed.reason);
  const { settings } = parsed;
  const { namespace } = settings;
  const leaving = new AbortController();
  const log = logUntil(leaving.signal, given.log);
  const options = { ...given, log };
  const declare = declarer(namespace, log);
  /** The topics that this bus consumes or has consumed. */
  const consumed = new Set<string>();
  const { publishing, consuming } = await openLinks(settings, options);
  const publisher = await openPublisher({ ...options, link: publishing, declare: declareAll }).catch(async (error: unknown) => {
    await Promise.all([publishing.close(), consuming.close()]);
    throw error;
  });
  const outgoing = await firstPublications({ ...options, link: publishing, publisher, monotonic: () => performance.now() });
  const broadcast = listeners({ ...options, namespace, link: consuming, declarer: declare, newId: randomUUID });
  const consumers = new Set<AmqpConsumer>();
  let closing: Promise<void> | null = null;
  void warnOfPolicies(settings, log, leaving.signal);

  return {
    publish(message) {
      const { topic } = message;
      if (!isTopic(topic)) return Promise.reject(new Unroutable(`No queue takes "${topic.slice(0, 100)}", which is not a topic.`));
      const publish = (): Promise<void> =>
        outgoing.publish({ topic, route: queueRoute(namespace, topic), wire: toWire(message), kept: true });
      const queue = topic.startsWith(DEAD) ? topic.slice(DEAD.length) : null;
      return queue !== null && consumed.has(queue) ? publish().catch((error: unknown) => buryAgain(error, queue, publish)) : publish();
    },

    async consume(topic, handler, { concurrency }) {
      refuseWhenDraining();
      requireTopic(topic);
      const consumer = await openConsumer(
        { ...options, namespace, link: consuming, declarer: declare, publisher },
        topic,
        handler,
        concurrency,
      );
      consumers.add(consumer);
      consumed.add(topic);
      if (leaving.signal.aborted) await consumer.stop();
      refuseWhenDraining();
      return {
        async stop() {
          await consumer.stop();
          consumers.delete(consumer);
        },
      };
    },

    async announce(message) {
      const { topic } = message;
      requireTopic(topic);
      await publisher.publish({ topic, route: broadcastRoute(namespace, topic), wire: toWire(message), kept: false });
    },

    async listen(topic, listener) {
      refuseWhenDraining();
      requireTopic(topic);
      return broadcast.listen(topic, listener);
    },

    unready,

    // RabbitMQ reports a shortage only to a connection that publishes. A process that publishes nothing does not learn of the shortage, and does not
    // need to.
    warnings: () => (publishing.blocked ? [SHORT] : []),

    close: () => (closing ??= close()),
  };

  function unready(): readonly string[] {
    if (leaving.signal.aborted) return [BUS_IS_CLOSED];
    // If a connection is down, the other reasons follow from it. A shortage of memory or disk is not a reason, because the broker still delivers and
    // accepted messages wait in the outbox.
    if (!publishing.up || !consuming.up) return ["the connection to RabbitMQ is down"];
    return [
      ...(publisher.open ? [] : ["messages cannot be published to RabbitMQ yet"]),
      ...([...consumers].every(({ open }) => open) ? [] : ["a queue of RabbitMQ is not consumed again yet"]),
      ...(broadcast.open ? [] : ["announcements of RabbitMQ are not heard again yet"]),
    ];
  }

  /**
   * If no queue takes a dead letter, declares its queue and publishes again. Somebody may have deleted this queue, and nothing else would create it
   * again.
   */
  async function buryAgain(error: unknown, queue: string, publish: () => Promise<void>): Promise<void> {
    if (!(error instanceof Unroutable)) throw error;
    await declare.queue(await publishing.session(AbortSignal.timeout(given.confirmMs)), queue);
    await publish();
  }

  /**
   * Declares the exchanges and the consumed queues. Somebody may have deleted an exchange together with the bindings of these queues, and their
   * consumers would not notice.
   */
  async function declareAll(session: Session): Promise<void> {
    await declare.exchanges(session);
    for (const topic of consumed)
      await declare
        .queue(session, topic)
        .catch((error: unknown) => log.error({ ...faultFields(error), topic }, "a queue cannot be declared"));
  }

  function refuseWhenDraining(): void {
    if (leaving.signal.aborted) throw new BusUnavailable(CLOSED);
  }

  async function close(): Promise<void> {
    leaving.abort();
    // Running handlers may publish until the last of them has ended.
    await Promise.all([...consumers].map((consumer) => consumer.stop()));
    await outgoing.close();
    await Promise.all([broadcast.close(), publisher.close()]);
    await Promise.all([publishing.close(), consuming.close()]);
  }
}

const DEAD = topics.dead("");

/** Opens both connections, or rejects and leaves neither open. */
async function openLinks(
  settings: AmqpSettings,
  options: AmqpBusOptions,
): Promise<{ readonly publishing: Link; readonly consuming: Link }> {
  const opening = [
    openLink({ ...options, settings, purpose: "publishing" }),
    openLink({ ...options, settings, purpose: "consuming" }),
  ] as const;
  try {
    const [publishing, consuming] = await Promise.all(opening);
    return { publishing, consuming };
  } catch (error) {
    for (const link of await Promise.allSettled(opening)) if (link.status === "fulfilled") await link.value.close();
    throw error;
  }
}

async function warnOfPolicies({ namespace, management, vhost }: AmqpSettings, log: PipelineLog, signal: AbortSignal): Promise<void> {
  if (!management) return;
  for (const difference of await policyDifferences(management, vhost, amqpPolicies(namespace), signal)) log.warn({ namespace }, difference);
}

/** Throws if the topic is invalid. It checks the topic of the dead queue, which is longer. */
function requireTopic(topic: string): void {
  if (!isTopic(topics.dead(topic)))
    throw new RangeError(
      `"${topic.slice(0, 100)}" is not a topic: words of letters, digits, hyphens and underscores, with dots between them, 185 characters at most.`,
    );
}

/** The warning and its remedy, as `/readyz` reports them. */
const SHORT =
  "RabbitMQ is short of memory or disk and accepts no messages: make room on its disk, or give it more memory (vm_memory_high_watermark, disk_free_limit)";
