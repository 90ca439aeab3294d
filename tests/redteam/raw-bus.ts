import type { Message } from "@toolbus/contracts";
import { amqpClient } from "./raw-amqp.ts";
import { natsClientOf } from "./raw-nats.ts";

/**
 * The broker as an attacker uses it: through the vendor's own client and without our adapters. If the server refuses a request, the promise rejects
 * with the server's message. Topics belong to the system's own namespace.
 */
export interface RawBus extends AsyncDisposable {
  /** Resolves when the broker has stored the message. On RabbitMQ, a header also routes it to the queue of the topic `copyTo`. */
  publish(message: Message, copyTo?: string): Promise<void>;
  /** Publishes many messages as fast as the broker accepts them. Resolves when the broker has stored all of them. */
  flood(messages: Iterable<Message>): Promise<void>;
  /** Takes the next message from a queue, if the queue has one. */
  take(topic: string): Promise<void>;
  /** Receives a copy of all messages of a topic from now on. `end` stops this and returns whether a message has arrived. */
  readAlong(topic: string): Promise<{ end(): Promise<boolean> }>;
  /** Removes all waiting messages of a queue. */
  purge(topic: string): Promise<void>;
  /** Deletes the queue, or its consumer on NATS. */
  remove(topic: string): Promise<void>;
  /** Receives the broker's replies or announcements to another login. */
  overhear(user: string): Promise<void>;
}

export async function rawBus(url: string): Promise<RawBus> {
  return url.startsWith("amqp") ? amqpClient(url) : natsClientOf(url);
}
