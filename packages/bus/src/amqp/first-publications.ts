import type { ConfirmChannel } from "amqplib";
import { BusUnavailable, NotPermitted, Unroutable } from "../message-bus.ts";
import type { PipelineLog } from "../pipeline-log.ts";
import { runWithin } from "../run-within.ts";
import { brokerAnswer } from "./broker-answer.ts";
import { channelFault, type GuardedChannel, guardedChannel } from "./guarded-channel.ts";
import type { Link, Session } from "./link.ts";
import { BLOCKED, type Publication, type Publisher } from "./publisher.ts";

/**
 * Publishes messages. A key's first messages go one at a time, on a separate channel. RabbitMQ answers a publish for which the login has no right by
 * closing the channel, and everything in flight there is lost with it. Keys come from other parties' messages (the reply topic), so without this a sender
 * of such messages could make everybody else's publishes fail.
 */
export interface FirstPublications extends Pick<Publisher, "publish"> {
  /** Waits for the pending one. */
  close(): Promise<void>;
}

export interface FirstPublicationsOptions {
  readonly link: Link;
  readonly publisher: Publisher;
  readonly log: PipelineLog;
  /** From a publish to its confirm, in milliseconds. */
  readonly confirmMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/** Resolves when the channel for first publishes is open. */
export async function firstPublications({
  link,
  publisher,
  log,
  confirmMs,
  monotonic,
}: FirstPublicationsOptions): Promise<FirstPublications> {
  /** Keys that this login may publish under. */
  const allowed = new Set<string>();
  /** Until when each forbidden key is not tried again. */
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
        // Messages in flight there may still be confirmed; the channel belongs to no connection any more.
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

  /** With this many refused, a sender of ever new keys has them all refused without a try. */
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
      // The reason for the close is reported after this.
      if (!error) resolve(true);
      else if (error instanceof Error && error.message === "message nacked") resolve(false);
    });
    session.gatherWrites();
    const confirmed = await promise;
    channel.off("return", onReturn);
    if (confirmed) return returned ? "returned" : "confirmed";
    // The next one finds a channel that is open.
    if (gone.aborted) spareOn(session).catch(() => undefined);
    if (codeOf(guarded.fault) === ACCESS_REFUSED) {
      // Once a minute per key, and for no more keys than are remembered.
      log.error(
        { topic: topic.slice(0, LONGEST_TOPIC), ...channelFault(guarded.fault) },
        "RabbitMQ refuses messages that this login publishes",
      );
      return "refused";
    }
    // The channel for all other messages creates a missing exchange.
    return codeOf(guarded.fault) === NOT_FOUND ? "elsewhere" : "unknown";
  }

  /** The channel for first publishes, until it is closed. */
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
// Far more than the number of topics in a deployment.
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
