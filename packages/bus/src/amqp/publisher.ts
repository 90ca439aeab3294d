import { AsyncLocalStorage } from "node:async_hooks";
import type { ConfirmChannel } from "amqplib";
import { BusUnavailable, Unroutable } from "../message-bus.ts";
import { CLOSED, LOST, type Session } from "./link.ts";
import { quickFrames } from "./quick-frames.ts";
import { settled } from "./settled.ts";
import { type Generation, openSteadyChannel, type SteadyChannelOptions } from "./steady-channel.ts";
import type { Route } from "./topology.ts";
import type { WireMessage } from "./wire.ts";

/** A message to publish, and its route. */
export interface Publication {
  /** The topic that errors name. */
  readonly topic: string;
  readonly route: Route;
  readonly wire: WireMessage;
  /** True if the message must survive a restart of the broker, and the broker must refuse it if no queue takes it. False for an announcement. */
  readonly kept: boolean;
}

/** Publishes messages with confirms on one channel, in the order of the calls. */
export interface Publisher {
  /**
   * Resolves when the broker confirms the message. Rejects with `Unroutable` if no queue takes it. Rejects with `BusUnavailable` if the outcome is
   * unknown, because the broker refused the message (a full queue), the channel was lost, or the deadline passed. It waits up to the deadline while
   * RabbitMQ accepts no messages, and for `ABSENT_MS` while there is no connection.
   */
  publish(publication: Publication): Promise<void>;
  /** True while its channel is open. */
  readonly open: boolean;
  /** Rejects new messages, and waits for pending confirms for a few seconds at most. */
  close(): Promise<void>;
}

export interface PublisherOptions extends SteadyChannelOptions {
  /** The longest time from the call to the confirm, in milliseconds. */
  readonly confirmMs: number;
  /** Runs before the first publish on each channel, because a publish to a missing exchange closes the channel (404). */
  readonly declare: (session: Session) => Promise<void>;
}

export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const { link, confirmMs, declare } = options;
  /** The messages that are sent but not confirmed, by number, oldest first. A message whose deadline passed stays here until the broker answers. */
  const sent = new Map<number, Pending>();
  /** The messages that are not sent yet, oldest first. */
  const waiting = new Set<Pending>();
  let current: Generation<ConfirmChannel> | null = null;
  let writable = true;
  let inFlight = 0;
  let lastNumber = 0;
  let closed = false;
  let idle: (() => void) | null = null;

  const steady = await openSteadyChannel<ConfirmChannel>(options, {
    name: "publishing",
    create: async (model) => quickFrames(await model.createConfirmChannel()),
    begin,
  });

  return {
    publish(publication) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      if (closed) {
        reject(new BusUnavailable(CLOSED));
        return promise;
      }
      const pending: Pending = {
        publication,
        resolve,
        reject,
        timer: undefined,
        brief: !current,
        state: "waiting",
        returned: false,
        within: atOnce,
      };
      pending.timer = setTimeout(giveUp, pending.brief ? Math.min(confirmMs, ABSENT_MS) : confirmMs, pending);
      if (current && writable && inFlight < MOST_IN_FLIGHT && waiting.size === 0) send(current, pending);
      else {
        pending.within = AsyncLocalStorage.snapshot();
        waiting.add(pending);
      }
      return promise;
    },
    get open() {
      return steady.open;
    },
    async close() {
      closed = true;
      for (const pending of waiting) end(pending, new BusUnavailable(CLOSED));
      waiting.clear();
      if (inFlight > 0) await settled(new Promise<void>((resolve) => (idle = resolve)), CLOSE_MS);
      await steady.close();
    },
  };

  async function begin(generation: Generation<ConfirmChannel>): Promise<void> {
    const { channel, session, gone } = generation;
    await declare(session);
    // RabbitMQ returns a message before it confirms it, and the confirm is still an ack.
    channel.on("return", ({ properties }) => {
      const number: unknown = properties.headers?.[NUMBER_HEADER];
      const pending = typeof number === "number" ? sent.get(number) : undefined;
      if (pending) pending.returned = true;
    });
    channel.on("drain", () => {
      writable = true;
      pump();
    });
    gone.addEventListener("abort", () => {
      if (current === generation) current = null;
    });
    current = generation;
    writable = true;
    pump();
  }

  /** Sends as many messages as the limit of messages in flight allows. A message does not wait for the confirm of the previous one. */
  function pump(): void {
    if (!current || !writable || inFlight >= MOST_IN_FLIGHT) return;
    for (const pending of waiting) {
      waiting.delete(pending);
      pending.within(send, current, pending);
      if (!writable || inFlight >= MOST_IN_FLIGHT) return;
    }
  }

  function send({ channel, session }: Generation<ConfirmChannel>, pending: Pending): void {
    const { route, wire, kept } = pending.publication;
    const number = ++lastNumber;
    wire.properties.headers[NUMBER_HEADER] = number;
    const properties = { ...wire.properties, mandatory: kept, persistent: kept };
    try {
      writable = channel.publish(route.exchange, route.routingKey, wire.content, properties, (error: unknown) =>
        confirmed(number, pending, error, channel),
      );
    } catch (error) {
      return end(pending, notSent(error, pending.publication));
    }
    session.gatherWrites();
    pending.state = "sent";
    sent.set(number, pending);
    inFlight++;
    if (!pending.brief) return;
    clearTimeout(pending.timer);
    pending.timer = setTimeout(giveUp, confirmMs, pending);
  }

  /**
   * Records the confirm or the loss of a sent message. amqplib calls this function once for each message, also when the channel is gone. No other
   * code learns earlier that the channel is gone.
   */
  function confirmed(number: number, pending: Pending, error: unknown, channel: ConfirmChannel): void {
    sent.delete(number);
    if (error && !isNack(error) && current?.channel === channel) current = null;
    if (pending.state === "sent") {
      inFlight--;
      end(pending, error ? unconfirmed(error, pending.publication) : pending.returned ? unroutable(pending.publication) : null);
    }
    pump();
    if (inFlight === 0) idle?.();
  }

  function giveUp(pending: Pending): void {
    const { topic } = pending.publication;
    if (pending.state === "waiting") {
      waiting.delete(pending);
      return end(
        pending,
        new BusUnavailable(whyNot(`A message for "${topic}" found no place among those under way within ${confirmMs} ms.`)),
      );
    }
    inFlight--;
    end(pending, new BusUnavailable(whyNot(`RabbitMQ did not confirm a message for "${topic}" within ${confirmMs} ms.`)));
    // amqplib keeps every message after the oldest unconfirmed one in memory. A queue without a majority of its nodes never confirms, so this memory
    // would grow for ever.
    const [oldest = lastNumber] = sent.keys();
    if (lastNumber - oldest > LONGEST_WINDOW) void current?.end();
    pump();
  }

  function whyNot(otherwise: string): string {
    if (!current) return LOST;
    return link.blocked ? BLOCKED : otherwise;
  }
}

/** The highest number of messages in flight. Further messages wait. */
const MOST_IN_FLIGHT = 256;
const LONGEST_WINDOW = 10_000;
// How long a publish waits for a connection. A connection that is restored at once comes back in this time. The caller's own retries cover a longer
// outage.
const ABSENT_MS = 2000;
const CLOSE_MS = 5000;
export const BLOCKED = "RabbitMQ is short of memory or disk and accepts no messages for now.";

/**
 * The header that identifies a returned message. The message id is not enough, because two messages in flight may have the same id. RabbitMQ and
 * every reader ignore the header.
 */
const NUMBER_HEADER = "x-toolbus-number";

interface Pending {
  readonly publication: Publication;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  timer: NodeJS.Timeout | undefined;
  /** True if the message arrived while there was no connection. Its timer then limits only the wait for a connection. */
  readonly brief: boolean;
  state: "waiting" | "sent" | "ended";
  returned: boolean;
  /**
   * Runs the send in the async context of the call to `publish`, because a traced client looks there for its trace. The code that triggers the send
   * has another context.
   */
  within: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

function atOnce<R, Args extends unknown[]>(send: (...args: Args) => R, ...args: Args): R {
  return send(...args);
}

function end(pending: Pending, error: unknown): void {
  clearTimeout(pending.timer);
  pending.state = "ended";
  if (error === null) pending.resolve();
  else pending.reject(error);
}

function unroutable({ topic }: Publication): Unroutable {
  return new Unroutable(`No queue takes "${topic}": none of its consumers has ever started.`);
}

function unconfirmed(error: unknown, { topic }: Publication): BusUnavailable {
  return new BusUnavailable(
    isNack(error)
      ? `RabbitMQ refused a message for "${topic}": its queue is full, or its node is going down.`
      : `The channel was lost before RabbitMQ confirmed a message for "${topic}"; it may arrive.`,
  );
}

/** Returns whether the broker refused the message. amqplib has no code for this error. */
function isNack(error: unknown): boolean {
  return error instanceof Error && error.message === "message nacked";
}

/**
 * Returns the error for a message that was not sent. amqplib throws before it writes if the headers are over 64 KiB, or if the channel was closed
 * a moment ago.
 */
function notSent(error: unknown, { topic }: Publication): Error {
  if (error instanceof RangeError) return new RangeError(`The attributes of a message for "${topic}" are over 64 KiB.`, { cause: error });
  return new BusUnavailable(LOST, { cause: error });
}
