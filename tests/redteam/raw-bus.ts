import type { Message } from "@toolbus/contracts";
import { amqpClient } from "./raw-amqp.ts";
import { natsClientOf } from "./raw-nats.ts";

/**
 * The broker as an attacker uses it, with the vendor's own client and none of our adapters. A refusal by the server rejects with its words; topics are
 * those of the existing namespace.
 */
export interface RawBus extends AsyncDisposable {
  /** Resolves when the broker holds it. `copyTo`: on RabbitMQ, the queue of another topic that is to get it too, by a header. */
  publish(message: Message, copyTo?: string): Promise<void>;
  /** Publishes very many as fast as the broker accepts them; resolves when it holds them all. */
  flood(messages: Iterable<Message>): Promise<void>;
  /** Takes the next message of somebody's queue, if there is one. */
  take(topic: string): Promise<void>;
  /** Gets a copy of the messages of a topic, or every one of them, from now on; returns how to end that, and whether one arrived. */
  readAlong(topic: string): Promise<{ end(): Promise<boolean> }>;
  /** Takes away all that waits there. */
  purge(topic: string): Promise<void>;
  /** Takes the queue away. */
  remove(topic: string): Promise<void>;
  /** Receives the broker's replies to another login, or announcements to it. */
  overhear(user: string): Promise<void>;
}

export async function rawBus(url: string): Promise<RawBus> {
  return url.startsWith("amqp") ? amqpClient(url) : natsClientOf(url);
}
