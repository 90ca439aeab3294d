import type { Msg } from "@nats-io/transport-node";
import { type DeliveryInfo, deliveryInfo, nak } from "./acknowledgement.ts";
import type { Live } from "./link.ts";
import { headerBlockOf } from "./nats-message.ts";
import { NANOS, type QueuePlace } from "./topology.ts";

/** Requests messages of one consumer over one connection, until the consumer or the connection ends. */
export interface PullSession {
  /** Requests more messages. The caller must call it when there is more room than before. */
  ask(): void;
  /** Resolves with the reason once no more messages can be expected. */
  readonly over: Promise<string>;
  /** Requests no more messages and gives back those that still arrive. Resolves when no message can arrive any more. */
  stop(): Promise<void>;
}

export interface PullOptions {
  readonly live: Live;
  readonly place: QueuePlace;
  /** A reply subject that was never used before. Messages that the server still sends to an earlier subject must not arrive here. */
  readonly inbox: string;
  /** Returns the number of messages that the consumer can accept now. */
  readonly room: () => number;
  /** The session requests more messages when there is room for this many beyond the requested ones, or when none is requested. */
  readonly askFrom: number;
  readonly heartbeatMs: number;
  readonly pullMs: number;
  readonly onDelivery: (msg: Msg, info: DeliveryInfo) => void;
}

/**
 * Starts a session. A request for messages stays open until it is filled or `pullMs` have passed. The server sends heartbeats during this time. The
 * session requests no more messages than it has room for, because the server's time limit for a message also runs while the message waits here.
 */
export function pullSession(options: PullOptions): PullSession {
  const { live, place, inbox, room, askFrom, heartbeatMs, pullMs, onDelivery } = options;
  const { promise: over, resolve: end } = Promise.withResolvers<string>();
  const request = `$JS.API.CONSUMER.MSG.NEXT.${place.stream}.${place.durable}`;
  /** The number of requested messages that have not arrived yet. */
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
      // Gives the message back, so that another consumer may receive it at once.
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
    // The status at the end of a request says how many of its messages did not arrive.
    const left = headers.find(([name]) => name === "Nats-Pending-Messages")?.[1];
    if (left === undefined || !ENDS_OF_A_REQUEST.has(`${code} ${description.toLowerCase()}`)) return end(`${code} ${description}`.trim());
    asked = Math.max(asked - Number(left), 0);
    ask();
  }

  function watch(): void {
    silentFor = asked > 0 && !heard ? silentFor + 1 : 0;
    heard = false;
    // A single heartbeat may be missing because this process was paused.
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
    // The server ends the request when nobody subscribes. Messages that it sent earlier arrive before its answer.
    await subscription.drain().catch(() => undefined);
  }
}

const HEARTBEAT = 100;
const ENDS_OF_A_REQUEST: ReadonlySet<string> = new Set(["408 request timeout", "409 batch completed"]);
