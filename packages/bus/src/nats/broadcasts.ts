import type { Message } from "@toolbus/contracts";
import type { Subscription as NatsSubscription } from "@nats-io/transport-node";
import { BusUnavailable, type Subscription } from "../message-bus.ts";
import type { Link, Live } from "./link.ts";
import { messageOf, natsHeaders } from "./nats-message.ts";
import { broadcastSubject } from "./topology.ts";

/** The announcements of a bus, which use plain NATS and are not stored. */
export interface Broadcasts {
  announce(message: Message): Promise<void>;
  listen(topic: string, listener: (message: Message) => void): Promise<Subscription>;
  /** Stops all listeners. */
  close(): void;
}

export function broadcasts(link: Link, { namespace, confirmMs }: { readonly namespace: string; readonly confirmMs: number }): Broadcasts {
  const listeners = new Set<Listener>();
  link.attach({
    begin(live) {
      for (const listener of listeners) subscribe(listener, live);
    },
  });

  return {
    async announce(message) {
      link.require().nc.publish(broadcastSubject(namespace, message.topic), message.body, { headers: natsHeaders(message) });
    },

    async listen(topic, hear) {
      const listener: Listener = { subject: broadcastSubject(namespace, topic), hear, subscription: null };
      const signal = AbortSignal.timeout(confirmMs);
      const live = await link.next(signal);
      listeners.add(listener);
      subscribe(listener, live);
      try {
        await within(live.nc.flush(), signal);
      } catch (error) {
        stop(listener);
        throw error;
      }
      return { stop: async () => stop(listener) };
    },

    close() {
      for (const listener of listeners) stop(listener);
    },
  };

  function subscribe(listener: Listener, { nc }: Live): void {
    listener.subscription = nc.subscribe(listener.subject, {
      callback: (error, msg) => {
        // A client can name any reply subject in a request for messages, also ours, and the server then sends the messages to it. Such messages
        // arrive under their own subject, and are not announcements.
        if (error || msg.subject !== listener.subject) return;
        try {
          listener.hear(messageOf(msg, ""));
        } catch {
          // If one listener throws, the others must still receive the message.
        }
      },
    });
  }

  function stop(listener: Listener): void {
    listeners.delete(listener);
    if (listener.subscription?.isClosed() === false) listener.subscription.unsubscribe();
  }
}

interface Listener {
  readonly subject: string;
  readonly hear: (message: Message) => void;
  /** The subscription on the live connection. */
  subscription: NatsSubscription | null;
}

/** Resolves when the server confirms the subscription. Rejects with `BusUnavailable` if the signal aborts first. */
async function within(confirmed: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(new BusUnavailable("NATS does not confirm the subscription to announcements."));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    await Promise.race([confirmed.catch(giveUp), late]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
