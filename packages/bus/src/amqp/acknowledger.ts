import type { Channel, ConsumeMessage } from "amqplib";
import { ackBatch } from "./ack-batch.ts";
import type { Generation } from "./steady-channel.ts";

/** Settles the deliveries of one channel. Its methods do nothing once the channel is closed. */
export interface Acknowledger {
  add(received: ConsumeMessage): void;
  /** Sends the ack at the end of the current turn, together with the other acks of that turn. */
  ack(received: ConsumeMessage): void;
  /** Returns the delivery to the queue. The broker delivers the message again at once, to any consumer. */
  giveBack(received: ConsumeMessage): void;
  /** Sends the waiting acks. */
  flush(): void;
}

export function acknowledger({ channel, gone, session }: Generation<Channel>): Acknowledger {
  const batch = ackBatch<ConsumeMessage>();
  let flushing = false;
  return {
    add: (received) => batch.add(received),
    ack(received) {
      batch.ack(received);
      if (flushing) return;
      flushing = true;
      process.nextTick(flush);
    },
    giveBack(received) {
      if (batch.giveBack(received)) send(() => channel.nack(received, false, true));
    },
    flush,
  };

  function flush(): void {
    flushing = false;
    for (const { delivery, upTo } of batch.take()) send(() => channel.ack(delivery, upTo));
  }

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
