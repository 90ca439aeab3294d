import { type Message, topics } from "@toolbus/contracts";
import { deadLetterMessage } from "../dead-letter.ts";
import {
  BUS_IS_CLOSED,
  BusUnavailable,
  type Delivery,
  type MessageBus,
  type Subscription,
  NotPermitted,
  Unroutable,
} from "../message-bus.ts";
import { logUntil, type PipelineLog } from "../pipeline-log.ts";
import { broadcasts } from "./broadcasts.ts";
import { declareQueue, queueExists } from "./declare.ts";
import { fullStreams } from "./full-streams.ts";
import { type Live, openLink } from "./link.ts";
import { parseNatsUrl } from "./nats-url.ts";
import { type NatsConsumer, natsConsumer } from "./nats-consumer.ts";
import { natsHeaders } from "./nats-message.ts";
import { publisher } from "./publisher.ts";
import { refusedSubject } from "./refused-subject.ts";
import { routes } from "./routes.ts";
import { DEFAULT_TIMINGS, type NatsTimings } from "./timings.ts";
import { placeOf, queuePlace, type QueuePlace } from "./topology.ts";

/** Times are in milliseconds. */
export interface NatsBusOptions {
  /** The wall clock, which dates dead letters. */
  readonly clock: () => number;
  readonly log: PipelineLog;
  /** Returns a random number from 0 up to 1, which spreads the attempts of many processes. */
  readonly random: () => number;
  /** How long a stop waits for running handlers. */
  readonly drainMs: number;
  /** How long to retry the first connection if no server answers. */
  readonly connectForMs: number;
  /** How long a message waits for its confirm, and any other request for its answer. */
  readonly confirmMs: number;
  /** The highest number of messages in flight. Further messages wait. The default is 256. */
  readonly maxInFlight?: number;
  readonly timings?: Partial<NatsTimings>;
}

/**
 * Opens a bus on NATS 2.9 or newer with JetStream. `parseNatsUrl` documents its URL. Rejects with `BusUnavailable` and one sentence if no server
 * answers in time, or if a server refuses.
 *
 * - A message is confirmed when its stream has written it to a file. The server syncs files every two minutes unless it has `sync_interval: always`.
 * - A stream drops a repeated message id within two minutes, and stores it again after that. A full stream refuses messages.
 * - When the connection is lost, the publishes of unconfirmed messages reject at once. Publishes also reject while there is no connection.
 * - If a process crashes, others receive its deliveries after 5 s.
 */
export async function natsBus(url: string, options: NatsBusOptions): Promise<MessageBus> {
  const { clock, random, drainMs, connectForMs, confirmMs, maxInFlight = MAX_IN_FLIGHT } = options;
  const parsed = parseNatsUrl(url);
  if (!parsed.ok) throw new BusUnavailable(parsed.reason);
  const { settings } = parsed;
  const { namespace } = settings;
  const timings = { ...DEFAULT_TIMINGS, confirmMs, ...options.timings };
  const leaving = new AbortController();
  const log = logUntil(leaving.signal, options.log);
  const link = await openLink({ settings, timings, connectForMs, log, random });
  const publishing = publisher(link, { maxInFlight, confirmMs: timings.confirmMs });
  const full = fullStreams();
  link.attach({ begin: () => full.clear() });
  const known = routes(
    async (place) => queueExists(link.require().jsm, place),
    () => performance.now(),
  );
  const announcing = broadcasts(link, { namespace, confirmMs: timings.confirmMs });
  const subscriptions = new Set<NatsConsumer>();
  /** The topics that this bus has consumed, by the queues that it declared for them. */
  const consumed = new Map<string, string>();
  let state: "open" | "draining" | "closed" = "open";
  let closing: Promise<void> | null = null;

  return {
    async publish(message) {
      refuseWhen("closed");
      return publish(message);
    },

    async consume(topic, handler, { concurrency }) {
      refuseWhen("draining");
      const declare = (live: Live): Promise<QueuePlace> => declareTopic(live, topic);
      const subscription = await natsConsumer({ topic, handler, concurrency, link, declare, bury, timings, drainMs, log, random });
      return keep(subscription);
    },

    async announce(message) {
      refuseWhen("closed");
      await announcing.announce(message);
    },

    async listen(topic, listener) {
      refuseWhen("draining");
      return announcing.listen(topic, listener);
    },

    unready() {
      if (state !== "open") return [BUS_IS_CLOSED];
      if (link.missing !== null) return [link.missing];
      return [...subscriptions].every(({ open }) => open) ? [] : ["a queue of NATS is not consumed again yet"];
    },

    warnings: () => full.warnings(),

    close: () => (closing ??= close()),
  };

  function refuseWhen(from: "draining" | "closed"): void {
    if (state === "closed" || state === from) throw new BusUnavailable("The bus is closed.");
  }

  async function publish(message: Message): Promise<void> {
    const place = queuePlace(namespace, message.topic);
    if (!place || (!known.has(place) && !(await isRouted(place)))) throw unroutable(message.topic);
    const headers = natsHeaders(message);
    let outcome = await publishing.publish(place.subject, headers, message.body);
    if (outcome.kind === "no-stream") {
      if (!(await isRouted(place))) throw unroutable(message.topic);
      outcome = await publishing.publish(place.subject, headers, message.body);
    }
    full.note(place.kind, outcome);
    if (outcome.kind === "stored") return;
    throw new BusUnavailable(outcome.kind !== "no-stream" ? outcome.reason : `The stream ${place.stream} has no leader at the moment.`);
  }

  async function isRouted(place: QueuePlace): Promise<boolean> {
    try {
      if (await known.find(place)) return true;
      const topic = consumed.get(place.durable);
      if (topic === undefined) return false;
      // Somebody deleted a queue that this bus declared, such as the queue of dead letters. Nothing else may ever create the queue again.
      await declareTopic(link.require(), topic);
      return true;
    } catch (error) {
      if (error instanceof BusUnavailable) throw error;
      // A login with the right to publish to a topic also has the right to ask for its queue.
      if (refusedSubject(error) !== null)
        throw new NotPermitted(`This login may not publish to ${place.subject}; give it the right if it should.`);
      throw new BusUnavailable(`NATS does not say whether there is a queue ${place.durable}.`, { cause: error });
    }
  }

  async function declareTopic({ jsm }: Live, topic: string): Promise<QueuePlace> {
    const place = await declareQueue(jsm, topic, { ...settings, ackWaitMs: timings.ackWaitMs, log });
    for (const declared of [place, placeOf(namespace, topics.dead(topic))]) {
      known.add(declared);
      consumed.set(declared.durable, topic);
    }
    return place;
  }

  async function bury({ message, count }: Delivery, reason: string): Promise<void> {
    await publish(deadLetterMessage(message, { queue: message.topic, reason, deliveries: count, history: [], now: clock() }));
  }

  /** Remembers a subscription until it is stopped. If the bus is already closed, stops the subscription at once. */
  async function keep(subscription: NatsConsumer): Promise<Subscription> {
    if (state !== "open") {
      await subscription.stop();
      refuseWhen("draining");
    }
    subscriptions.add(subscription);
    return { stop: () => subscription.stop().finally(() => subscriptions.delete(subscription)) };
  }

  async function close(): Promise<void> {
    state = "draining";
    leaving.abort();
    announcing.close();
    await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
    state = "closed";
    await publishing.idle();
    await link.close();
  }
}

const MAX_IN_FLIGHT = 256;

function unroutable(topic: string): Unroutable {
  return new Unroutable(`No queue takes "${topic.slice(0, 200)}": none of its consumers has ever started.`);
}
