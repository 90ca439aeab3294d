import type { ConfirmChannel } from "amqplib";
import { BusUnavailable, NotPermitted, Unroutable } from "../message-bus.ts";
import type { PipelineLog } from "../pipeline-log.ts";
import { runWithin } from "../run-within.ts";
import { brokerAnswer } from "./broker-answer.ts";
import { channelFault, type GuardedChannel, guardedChannel } from "./guarded-channel.ts";
import type { Link, Session } from "./link.ts";
import { BLOCKED, type Publication, type Publisher } from "./publisher.ts";

/**
 * Publishes messages. It publishes the first messages of a routing key one at a time, on a separate channel. If the login has no right to publish
 * under a key, RabbitMQ closes the channel, and all messages in flight on this channel are lost. A key may be the reply topic of a message that
 * another party sent. Without the separate channel, such a party could make all other publishes fail.
 */
export interface FirstPublications extends Pick<Publisher, "publish"> {
  /** Waits for the pending message. */
  close(): Promise<void>;
}

export interface FirstPublicationsOptions {
  readonly link: Link;
  readonly publisher: Publisher;
  readonly log: PipelineLog;
  /** The longest time from a publish to its confirm, in milliseconds. */
  readonly confirmMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/** Opens the channel for first publishes. Resolves even if this fails, because the next publish opens it again. */
export async function firstPublications({
  link,
  publisher,
  log,
  confirmMs,
  monotonic,
}: FirstPublicationsOptions): Promise<FirstPublications> {
  /** The keys under which this login may publish. */
  const allowed = new Set<string>();
  /** The time until which each forbidden key is not tried again. */
  const refused = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  let spare: Spare | null = null;
  await link
    .session(AbortSignal.timeout(ABSENT_MS))
    .then(spareOn)
    .catch(() => undefined);
  return {
    async publish(publication) {
      const key = keyOf(publication);
      if (allowed.has(key)) return publisher.publish(publication);
      const mine = last.then(() => first(key, publication));
      last = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      await last;
      letGo();
    },
  };

  async function first(key: string, publication: Publication): Promise<void> {
    if (allowed.has(key)) return publisher.publish(publication);
    if (isRefused(key)) throw notPermitted(publication);
    const session = await link.session(AbortSignal.timeout(ABSENT_MS));
    const ending = await runWithin(confirmMs, session.gone, async () => tried(session, publication));
    if (ending.kind === "threw") throw ending.thrown;
    const outcome = ending.kind === "late" ? "unknown" : ending.value;
    switch (outcome) {
      case "confirmed":
        return remember(key);
      case "returned":
        remember(key);
        throw new Unroutable(`No queue takes "${publication.topic}": none of its consumers has ever started.`);
      case "refused":
        refused.set(key, monotonic() + REFUSED_FOR_MS);
        throw notPermitted(publication);
      case "unknown":
        // The broker may still confirm a message on this channel, so no other message may use the channel.
        letGo();
        throw new BusUnavailable(
          link.blocked ? BLOCKED : `RabbitMQ did not confirm a message for "${publication.topic}" within ${confirmMs} ms.`,
        );
      case "elsewhere":
        return publisher.publish(publication);
    }
  }

  function remember(key: string): void {
    if (allowed.size < MOST_ALLOWED) allowed.add(key);
  }

  /**
   * Returns whether the key must not be tried. Once `MOST_REFUSED` keys are refused, every new key is refused without a try. This stops a sender who
   * always uses new keys.
   */
  function isRefused(key: string): boolean {
    const now = monotonic();
    for (const [known, until] of refused) if (until <= now) refused.delete(known);
    return refused.has(key) || refused.size >= MOST_REFUSED;
  }

  async function tried(session: Session, { topic, route, wire }: Publication): Promise<Outcome> {
    const guarded = await spareOn(session);
    const { channel, gone } = guarded;
    let returned = false;
    const onReturn = (): void => void (returned = true);
    channel.on("return", onReturn);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    gone.addEventListener("abort", () => resolve(false), { once: true });
    const properties = { ...wire.properties, mandatory: true, persistent: true };
    channel.publish(route.exchange, route.routingKey, wire.content, properties, (error: unknown) => {
      // If the channel was closed, its "error" event reports the reason later.
      if (!error) resolve(true);
      else if (error instanceof Error && error.message === "message nacked") resolve(false);
    });
    session.gatherWrites();
    const confirmed = await promise;
    channel.off("return", onReturn);
    if (confirmed) return returned ? "returned" : "confirmed";
    // Opens a channel for the next message.
    if (gone.aborted) spareOn(session).catch(() => undefined);
    if (codeOf(guarded.fault) === ACCESS_REFUSED) {
      // The log receives this line once a minute per key, and only for the keys that are remembered.
      log.error(
        { topic: topic.slice(0, LONGEST_TOPIC), ...channelFault(guarded.fault) },
        "RabbitMQ refuses messages that this login publishes",
      );
      return "refused";
    }
    // The publisher creates a missing exchange on its own channel.
    return codeOf(guarded.fault) === NOT_FOUND ? "elsewhere" : "unknown";
  }

  /** Returns the channel for first publishes, and opens a new one if the channel was closed. */
  function spareOn(session: Session): Promise<GuardedChannel<ConfirmChannel>> {
    if (spare?.session === session && !spare.isGone()) return spare.channel;
    let isGone = (): boolean => false;
    const channel = brokerAnswer("a first publish", session.gone, () => session.model.createConfirmChannel()).then((opened) => {
      const guarded = guardedChannel(opened, log);
      isGone = () => guarded.gone.aborted;
      return guarded;
    });
    channel.catch(() => (isGone = () => true));
    spare = { session, channel, isGone: () => isGone() };
    return channel;
  }

  function letGo(): void {
    const before = spare;
    spare = null;
    before?.channel.then((guarded) => guarded.end()).catch(() => undefined);
  }
}

interface Spare {
  readonly session: Session;
  readonly channel: Promise<GuardedChannel<ConfirmChannel>>;
  readonly isGone: () => boolean;
}

type Outcome = "confirmed" | "returned" | "refused" | "unknown" | "elsewhere";

const ABSENT_MS = 2000;
const REFUSED_FOR_MS = 60_000;
const MOST_REFUSED = 30;
const LONGEST_TOPIC = 200;
// The limit is far above the number of topics in a deployment.
const MOST_ALLOWED = 10_000;
const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;

function keyOf({ route: { exchange, routingKey } }: Publication): string {
  return `${exchange} ${routingKey}`;
}

function notPermitted({ topic }: Publication): NotPermitted {
  return new NotPermitted(`This login may not publish to "${topic.slice(0, LONGEST_TOPIC)}"; give it the right if it should.`);
}

function codeOf(fault: unknown): number | null {
  return fault instanceof Error && "code" in fault && typeof fault.code === "number" ? fault.code : null;
}
