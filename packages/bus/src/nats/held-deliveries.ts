import type { Message } from "@toolbus/contracts";
import type { Delivery } from "../message-bus.ts";
import { type DeliveryInfo, nak, WORKING } from "./acknowledgement.ts";

/** A delivery that its handler has not settled. */
export interface Held {
  readonly delivery: Delivery;
  /** Answers the server, once: not at all if the delivery is no longer ours. False if there is no connection now. */
  answer(payload: string): boolean;
  /** Whether the server still expects our answer. */
  isOurs(): boolean;
}

/** The deliveries that one consumer works on, and how long each stays its own. */
export interface HeldDeliveries {
  take(message: Message, reply: string, info: DeliveryInfo): Held;
  /** Notifies the server that each is being worked on; those that it has given to others by now are lost. */
  extend(): void;
  /** Gives all of them back, to come again at once. */
  giveBack(reason: string): void;
}

/**
 * The server delivers a message again if it hears nothing for long enough, and then treats an answer to the earlier delivery as one to the later. So if it
 * has heard nothing for `oursForMs`, for example after a pause of the process or of the connection, the signal of the delivery aborts and nothing is
 * answered. That time is shorter than the server's: it counts from when a message was sent, and the message may have taken a while to get here.
 */
export function heldDeliveries({ oursForMs, now, send }: HeldOptions): HeldDeliveries {
  const held = new Map<number, Kept>();

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
        answer(payload) {
          if (!isOurs(kept)) return true;
          if (!send(reply, payload)) return false;
          held.delete(sequence);
          return true;
        },
      };
    },
    extend() {
      for (const kept of held.values()) if (isOurs(kept) && send(kept.reply, WORKING)) kept.extendedAt = now();
    },
    giveBack(reason) {
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
  /** How long a delivery is ours after the server last heard about it, in milliseconds. */
  readonly oursForMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Sends an answer to a delivery; false when there is no connection now. */
  readonly send: (reply: string, payload: string) => boolean;
}

interface Kept {
  readonly sequence: number;
  readonly reply: string;
  /** When the server last heard that the message is being worked on, by `now`. */
  extendedAt: number;
  readonly takenBack: AbortController;
}
