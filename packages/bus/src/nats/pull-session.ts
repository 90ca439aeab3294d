import type { Msg } from "@nats-io/transport-node";
import { type DeliveryInfo, deliveryInfo, nak } from "./acknowledgement.ts";
import type { Live } from "./link.ts";
import { headerBlockOf } from "./nats-message.ts";
import { NANOS, type QueuePlace } from "./topology.ts";

/** Asks one consumer for messages over one connection, for as long as both last. */
export interface PullSession {
  /** To be called when there is more room than before. */
  ask(): void;
  /** Resolves with the reason once no more messages can be expected. */
  readonly over: Promise<string>;
  /** Asks for no more and gives back messages that still arrive. Resolves when nothing can arrive any more. */
  stop(): Promise<void>;
}

export interface PullOptions {
  readonly live: Live;
  readonly place: QueuePlace;
  /** A reply subject that was never used before: messages that the server still holds for an earlier one must not arrive here. */
  readonly inbox: string;
  /** How many messages can be accepted now. */
  readonly room: () => number;
  /** Asks again when there is room for this many beyond the requested ones, or when nothing is requested. */
  readonly askFrom: number;
  readonly heartbeatMs: number;
  readonly pullMs: number;
  readonly onDelivery: (msg: Msg, info: DeliveryInfo) => void;
}

/**
 * A request for messages stays open until it is filled or `pullMs` are over, and the server shows with heartbeats that it has not forgotten it. No more is
 * requested than there is room for: a message that waited here would run out of its time.
 */
export function pullSession(options: PullOptions): PullSession {
  const { live, place, inbox, room, askFrom, heartbeatMs, pullMs, onDelivery } = options;
  const { promise: over, resolve: end } = Promise.withResolvers<string>();
  const request = `$JS.API.CONSUMER.MSG.NEXT.${place.stream}.${place.durable}`;
  /** How many requested messages have not come yet. */
  let asked = 0;
  let stopping: Promise<void> | null = null;
  let heard = true;
  let silentFor = 0;

  const subscription = live.nc.subscribe(inbox, {
    callback: (error, msg) => {
      if (error) return end("this login may not take messages");
      heard = true;
      const info = msg.subject === place.subject ? deliveryInfo(msg.reply ?? "") : null;
      if (!info) return hearStatus(msg);
      // Another consumer may have it at once.
      if (stopping) return void msg.respond(nak(0));
      asked--;
      onDelivery(msg, info);
      ask();
    },
  });
  const watching = setInterval(watch, heartbeatMs).unref();
  live.gone.addEventListener("abort", lose, { once: true });
  ask();
  return { ask, over, stop: () => (stopping ??= stop()) };

  function ask(): void {
    const more = room() - asked;
    if (stopping || live.nc.isClosed() || more <= 0 || (asked > 0 && more < askFrom)) return;
    asked += more;
    const wanted = { batch: more, expires: pullMs * NANOS, idle_heartbeat: heartbeatMs * NANOS };
    live.nc.publish(request, JSON.stringify(wanted), { reply: inbox });
  }

  function hearStatus(msg: Msg): void {
    const { code, description, headers } = headerBlockOf(msg);
    if (code === HEARTBEAT) return;
    // A request that ended says how many of its messages did not come.
    const left = headers.find(([name]) => name === "Nats-Pending-Messages")?.[1];
    if (left === undefined || !ENDS_OF_A_REQUEST.has(`${code} ${description.toLowerCase()}`)) return end(`${code} ${description}`.trim());
    asked = Math.max(asked - Number(left), 0);
    ask();
  }

  function watch(): void {
    silentFor = asked > 0 && !heard ? silentFor + 1 : 0;
    heard = false;
    // A single miss may be this process's own pause.
    if (silentFor >= 2) end("the server forgot that messages were asked for");
  }

  function lose(): void {
    end("the connection was lost");
  }

  async function stop(): Promise<void> {
    clearInterval(watching);
    live.gone.removeEventListener("abort", lose);
    end("it was stopped");
    if (live.nc.isClosed() || subscription.isClosed()) return;
    // The server ends the request when nobody listens. Messages that it sent before come before its answer.
    await subscription.drain().catch(() => undefined);
  }
}

const HEARTBEAT = 100;
const ENDS_OF_A_REQUEST: ReadonlySet<string> = new Set(["408 request timeout", "409 batch completed"]);
