import type { Channel, ConsumeMessage } from "amqplib";
import { ackDelay } from "../ack-delay.ts";
import { ackBatch } from "./ack-batch.ts";
import type { Generation } from "./steady-channel.ts";

/** Settles the deliveries of one channel. Its methods do nothing once the channel is closed. */
export interface Acknowledger {
  add(received: ConsumeMessage): void;
  /**
   * Sends the ack within `ACK_WITHIN_MS`, together with the other acks of that time. If the channel is crowded, sends all waiting acks at the end of the
   * current turn.
   */
  ack(received: ConsumeMessage): void;
  /** Returns the delivery to the queue. The broker delivers the message again at once, to any consumer. */
  giveBack(received: ConsumeMessage): void;
  /** Sends the waiting acks. */
  flush(): void;
}

/**
 * Makes the acknowledger of a channel on which the broker leaves at most `prefetch` deliveries unsettled. A quorum queue writes an ack to disk as it
 * writes a message, so the next message waits for it (decision 0149). If the process dies before the ack, the broker delivers the messages again, as after
 * a crash at the end of a handler.
 */
export function acknowledger({ channel, gone, session }: Generation<Channel>, prefetch: number): Acknowledger {
  const batch = ackBatch<ConsumeMessage>(prefetch);
  const delay = ackDelay(ACK_WITHIN_MS, () => {
    for (const { delivery, upTo } of batch.take()) send(() => channel.ack(delivery, upTo));
  });
  return {
    add(received) {
      batch.add(received);
      if (delay.waits && batch.crowded) delay.soon();
    },
    ack(received) {
      batch.ack(received);
      if (batch.crowded) delay.soon();
      else delay.later();
    },
    giveBack(received) {
      if (batch.giveBack(received)) send(() => channel.nack(received, false, true));
    },
    flush: () => delay.now(),
  };

  function send(frame: () => void): void {
    if (gone.aborted) return;
    try {
      frame();
      session.gatherWrites();
    } catch {
      // The connection ended a moment ago, so the broker delivers the message again.
    }
  }
}

/** How long an ack may wait for others, in milliseconds. */
const ACK_WITHIN_MS = 20;
