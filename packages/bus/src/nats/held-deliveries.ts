import type { Message } from "@toolbus/contracts";
import type { Delivery } from "../message-bus.ts";
import { type DeliveryInfo, nak, WORKING } from "./acknowledgement.ts";

/** A delivery that its handler has not settled. */
export interface Held {
  readonly delivery: Delivery;
  /**
   * Answers the server once, or not at all if the delivery is no longer ours. Returns false if there is no connection now. With `evenIfLost`, also
   * answers for a delivery that the server may have given to another consumer, but not after `giveBack`. Only an ack of finished work may do so.
   */
  answer(payload: string, options?: { readonly evenIfLost?: boolean }): boolean;
  /** Returns whether the server still expects our answer. */
  isOurs(): boolean;
}

/** The deliveries that one consumer works on, and the time for which they belong to it. */
export interface HeldDeliveries {
  take(message: Message, reply: string, info: DeliveryInfo): Held;
  /** Tells the server that the handlers are still at work. Drops the deliveries that the server may already have given to other consumers. */
  extend(): void;
  /** Gives all deliveries back, so that the server delivers them again at once. */
  giveBack(reason: string): void;
}

/**
 * Tracks deliveries until they are settled or lost. If the server receives nothing for long enough, it delivers a message again. It then treats an
 * answer to the earlier delivery as an answer to the later one. So if the server received nothing for `oursForMs`, for example after a pause of the
 * process or the connection, the delivery's signal aborts and the consumer sends no answer, except for an ack of finished work. Such an ack removes
 * the message also if another consumer works on it, and later answers of this consumer then change nothing. `oursForMs` is shorter than the server's
 * limit. The server's limit starts when it sends the message, and the message may take a while to arrive.
 */
export function heldDeliveries({ oursForMs, now, send }: HeldOptions): HeldDeliveries {
  const held = new Map<number, Kept>();
  let givenBack = false;

  return {
    take(message, reply, { count, sequence }) {
      const before = held.get(sequence);
      if (before) lose(before, "The message was delivered again, so this delivery is void.");
      const takenBack = new AbortController();
      const kept: Kept = { sequence, reply, extendedAt: now(), takenBack };
      held.set(sequence, kept);
      return {
        delivery: { message, count, signal: takenBack.signal },
        isOurs: () => isOurs(kept),
        answer(payload, { evenIfLost = false } = {}) {
          const ours = isOurs(kept);
          if (!ours && (!evenIfLost || givenBack)) return true;
          if (!send(reply, payload)) return false;
          // After a loss, a later delivery of the same message may be held here.
          if (ours) held.delete(sequence);
          return true;
        },
      };
    },
    extend() {
      for (const kept of held.values()) if (isOurs(kept) && send(kept.reply, WORKING)) kept.extendedAt = now();
    },
    giveBack(reason) {
      givenBack = true;
      for (const kept of held.values()) {
        if (isOurs(kept)) send(kept.reply, nak(0));
        lose(kept, reason);
      }
    },
  };

  function isOurs(kept: Kept): boolean {
    if (held.get(kept.sequence) !== kept) return false;
    if (now() - kept.extendedAt < oursForMs) return true;
    lose(kept, "The server heard nothing of this delivery for too long and gives it to another.");
    return false;
  }

  function lose(kept: Kept, reason: string): void {
    if (held.get(kept.sequence) === kept) held.delete(kept.sequence);
    kept.takenBack.abort(new DOMException(reason, "AbortError"));
  }
}

export interface HeldOptions {
  /** How long a delivery is ours after the server last received something about it, in milliseconds. */
  readonly oursForMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Sends an answer to a delivery. Returns false if there is no connection now. */
  readonly send: (reply: string, payload: string) => boolean;
}

interface Kept {
  readonly sequence: number;
  readonly reply: string;
  /** The time, on the clock of `now`, at which this consumer last told the server that the message is being worked on. */
  extendedAt: number;
  readonly takenBack: AbortController;
}
