import type { Channel, ConsumeMessage } from "amqplib";
import { ackBatch } from "./ack-batch.ts";
import type { Generation } from "./steady-channel.ts";

/** Settles the deliveries of one channel; does nothing once the channel is gone. */
export interface Acknowledger {
  add(received: ConsumeMessage): void;
  /** Sent at the end of the current turn, together with all acks until then. */
  ack(received: ConsumeMessage): void;
  /** It comes again at once, to any consumer. */
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
      // The connection ended a moment ago, and took the delivery back.
    }
  }
}
