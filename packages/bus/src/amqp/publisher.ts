import { AsyncLocalStorage } from "node:async_hooks";
import type { ConfirmChannel } from "amqplib";
import { BusUnavailable, Unroutable } from "../message-bus.ts";
import { CLOSED, LOST, type Session } from "./link.ts";
import { settled } from "./settled.ts";
import { type Generation, openSteadyChannel, type SteadyChannelOptions } from "./steady-channel.ts";
import type { Route } from "./topology.ts";
import type { WireMessage } from "./wire.ts";

/** What to publish, and where. */
export interface Publication {
  /** For errors. */
  readonly topic: string;
  readonly route: Route;
  readonly wire: WireMessage;
  /** Survives a restart of the broker, and is refused if no queue takes it. Neither holds for an announcement. */
  readonly kept: boolean;
}

/** Publishes with confirms on one channel, in the order of the calls. */
export interface Publisher {
  /**
   * Resolves when the broker confirms. Rejects with `Unroutable` if no queue takes it, and with `BusUnavailable` if the outcome is unknown: the broker
   * refused it (a full queue), the channel was lost, or the deadline passed. It waits up to the deadline while RabbitMQ accepts no messages, and for
   * `ABSENT_MS` while there is no connection.
   */
  publish(publication: Publication): Promise<void>;
  /** Whether its channel is there now. */
  readonly open: boolean;
  /** Waits for the pending confirms, for seconds at most. New messages are rejected from now on. */
  close(): Promise<void>;
}

export interface PublisherOptions extends SteadyChannelOptions {
  /** From the call to the confirm, in milliseconds. */
  readonly confirmMs: number;
  /** Runs before each channel is used: publishing to a missing exchange closes the channel (404). */
  readonly declare: (session: Session) => Promise<void>;
}

export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const { link, confirmMs, declare } = options;
  /** Sent and not confirmed, by number, oldest first. Those whose deadline passed stay until the broker says something. */
  const sent = new Map<number, Pending>();
  /** Not sent, the oldest first. */
  const waiting = new Set<Pending>();
  let current: Generation<ConfirmChannel> | null = null;
  let writable = true;
  let inFlight = 0;
  let lastNumber = 0;
  let closed = false;
  let idle: (() => void) | null = null;

  const steady = await openSteadyChannel<ConfirmChannel>(options, {
    name: "publishing",
    create: (model) => model.createConfirmChannel(),
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
    // The return of a message comes before its confirm, which is still an ack.
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

  /** Sends as much as allowed. The next message does not wait for the previous confirm. */
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

  /** Invoked once for each sent message: even if its channel is gone, and before anybody else learns of that. */
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
    // amqplib keeps every message behind one that is never confirmed, as on a queue without a majority of its nodes.
    const [oldest = lastNumber] = sent.keys();
    if (lastNumber - oldest > LONGEST_WINDOW) void current?.end();
    pump();
  }

  function whyNot(otherwise: string): string {
    if (!current) return LOST;
    return link.blocked ? BLOCKED : otherwise;
  }
}

/** At most as many messages are under way at once; the others wait their turn. */
const MOST_IN_FLIGHT = 256;
const LONGEST_WINDOW = 10_000;
// Long enough for a connection that is restored at once; a longer outage is left to the caller's own retries.
const ABSENT_MS = 2000;
const CLOSE_MS = 5000;
export const BLOCKED = "RabbitMQ is short of memory or disk and accepts no messages for now.";

/** Distinguishes returned messages, because one message id may be in flight twice. RabbitMQ and every reader ignore it. */
const NUMBER_HEADER = "x-toolbus-number";

interface Pending {
  readonly publication: Publication;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  timer: NodeJS.Timeout | undefined;
  /** It came while there was no connection, and its timer waits only for a connection. */
  readonly brief: boolean;
  state: "waiting" | "sent" | "ended";
  returned: boolean;
  /** Sends it in the context of its publisher, not of the code that triggers the sending now: a traced client looks there for its trace. */
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

/** amqplib has no code for it. */
function isNack(error: unknown): boolean {
  return error instanceof Error && error.message === "message nacked";
}

/** amqplib throws before anything is written: for headers over 64 KiB, and for a channel that was just closed. */
function notSent(error: unknown, { topic }: Publication): Error {
  if (error instanceof RangeError) return new RangeError(`The attributes of a message for "${topic}" are over 64 KiB.`, { cause: error });
  return new BusUnavailable(LOST, { cause: error });
}
