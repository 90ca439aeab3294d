import type { Message } from "@toolbus/contracts";
import { amqpClient } from "./raw-amqp.ts";
import { natsClientOf } from "./raw-nats.ts";

/**
 * The broker as an attacker uses it, with the vendor's own client and none of our adapters. If the server refuses, the promise rejects with its
 * message. Topics are those of the existing namespace.
 */
export interface RawBus extends AsyncDisposable {
  /** Resolves when the broker has stored it. `copyTo`: on RabbitMQ, the queue of another topic that should also get it, by a header. */
  publish(message: Message, copyTo?: string): Promise<void>;
  /** Publishes very many as fast as the broker accepts them. Resolves when it has stored them all. */
  flood(messages: Iterable<Message>): Promise<void>;
  /** Takes the next message from a queue, if there is one. */
  take(topic: string): Promise<void>;
  /** Gets a copy of the messages of a topic, or every one of them, from now on. Returns a function that ends that and says whether one arrived. */
  readAlong(topic: string): Promise<{ end(): Promise<boolean> }>;
  /** Removes all waiting messages. */
  purge(topic: string): Promise<void>;
  /** Deletes the queue. */
  remove(topic: string): Promise<void>;
  /** Receives the broker's replies to another login, or announcements to it. */
  overhear(user: string): Promise<void>;
}

export async function rawBus(url: string): Promise<RawBus> {
  return url.startsWith("amqp") ? amqpClient(url) : natsClientOf(url);
}
