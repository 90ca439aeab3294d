import type { MsgHdrs } from "@nats-io/transport-node";
import { fifo } from "../memory/fifo.ts";
import type { Link, Live } from "./link.ts";
import { headerBlockOf } from "./nats-message.ts";
import { type PublishOutcome, readPubAck } from "./pub-ack.ts";

/** Publishes messages to streams. */
export interface Publisher {
  /**
   * Resolves when a stream confirms or refuses the message. If no answer arrives, it resolves when the connection is lost, or else at the deadline.
   * If the maximum number of messages is in flight, the message waits, and this time counts against its deadline. Never rejects.
   */
  publish(subject: string, headers: MsgHdrs, body: string): Promise<PublishOutcome>;
  /** Resolves when nothing is in flight, or when the last deadline has passed. */
  idle(): Promise<void>;
}

/**
 * Returns a publisher that receives the confirms of all messages through one subscription. The last word of the reply subject identifies the message.
 * The client's own `js.publish` makes each message a request, which costs twice as much.
 */
export function publisher(link: Link, { maxInFlight, confirmMs }: { readonly maxInFlight: number; readonly confirmMs: number }): Publisher {
  /** The messages in flight by token, oldest first. All messages have the same time limit for their confirm. */
  const underWay = new Map<string, Sent>();
  const waiting = fifo<Unsent>();
  let idlers: (() => void)[] = [];
  let tokens = 0;
  let sweep: NodeJS.Timeout | null = null;
  link.attach({ begin, refused });

  return {
    publish(subject, headers, body) {
      const { promise, resolve } = Promise.withResolvers<PublishOutcome>();
      const unsent: Unsent = { subject, headers, body, due: performance.now() + confirmMs, resolve };
      if (underWay.size < maxInFlight) send(unsent);
      else waiting.push(unsent);
      return promise;
    },
    async idle() {
      if (underWay.size > 0) await new Promise<void>((resolve) => idlers.push(resolve));
    },
  };

  function begin({ nc, inbox, gone }: Live): void {
    const prefix = `${inbox}.ack.`;
    nc.subscribe(`${prefix}*`, {
      callback: (error, msg) => {
        const token = error ? "" : msg.subject.slice(prefix.length);
        const sent = underWay.get(token);
        if (sent) settle(token, sent, readPubAck(headerBlockOf(msg).code, msg.string(), sent.subject));
      },
    });
    gone.addEventListener("abort", () => settleAll(() => LOST), { once: true });
  }

  function send({ subject, headers, body, due, resolve }: Unsent): void {
    const { live } = link;
    if (!live) return resolve(LOST);
    const token = (++tokens).toString(36);
    try {
      live.nc.publish(subject, body, { headers, reply: `${live.inbox}.ack.${token}` });
    } catch (error) {
      return resolve(notSent(subject, error));
    }
    underWay.set(token, { subject, due, resolve });
    sweep ??= setTimeout(settleOverdue, confirmMs).unref();
  }

  function settle(token: string, sent: Sent, outcome: PublishOutcome): void {
    underWay.delete(token);
    sent.resolve(outcome);
    while (waiting.size > 0 && underWay.size < maxInFlight) {
      const next = waiting.shift();
      if (next && next.due > performance.now()) send(next);
      else next?.resolve(late(next.subject, confirmMs));
    }
    if (underWay.size > 0) return;
    for (const resolve of idlers) resolve();
    idlers = [];
  }

  function settleAll(outcomeOf: (sent: Sent) => PublishOutcome | null): void {
    for (const [token, sent] of underWay) {
      const outcome = outcomeOf(sent);
      if (outcome) settle(token, sent, outcome);
    }
  }

  function settleOverdue(): void {
    const now = performance.now();
    settleAll(({ subject, due }) => (due <= now ? late(subject, confirmMs) : null));
    const [oldest] = underWay.values();
    // One millisecond is added, because a timer may fire a little early.
    sweep = oldest ? setTimeout(settleOverdue, oldest.due - now + 1).unref() : null;
  }

  function refused(subject: string): void {
    settleAll((sent) => (sent.subject === subject ? unknown(`This login may not publish to ${subject}; give it the right.`) : null));
  }
}

interface Sent {
  readonly subject: string;
  /** The time at which the wait ends, on the clock of `performance.now()`. */
  readonly due: number;
  readonly resolve: (outcome: PublishOutcome) => void;
}

interface Unsent extends Sent {
  readonly headers: MsgHdrs;
  readonly body: string;
}

const LOST: PublishOutcome = unknown("The connection to NATS was lost before a message was confirmed.");

function unknown(reason: string): PublishOutcome {
  return { kind: "unknown", reason };
}

function late(subject: string, confirmMs: number): PublishOutcome {
  return unknown(`A message to ${subject} was not confirmed within ${confirmMs} ms.`);
}

function notSent(subject: string, error: unknown): PublishOutcome {
  const why =
    error instanceof Error && error.message.includes("max_payload") ? "it is larger than the server's max_payload" : "the client refused";
  return unknown(`A message to ${subject} was not sent: ${why}.`);
}
