import { createHash } from "node:crypto";
import { attributes, type DeadLetter, MAX_BODY_BYTES, type Message, message, messageTypes, topics } from "@toolbus/contracts";
import type { Try } from "./delivery-history.ts";

/** The facts about a delivery that is given up. */
export interface GivenUp {
  /** The topic whose queue contained the message. */
  readonly queue: string;
  readonly reason: string;
  readonly deliveries: number;
  /** The earlier tries, oldest first. */
  readonly history: readonly Try[];
  /** The wall clock, in milliseconds. */
  readonly now: number;
}

/**
 * Returns the message for `dead.<queue>` that preserves a message that was given up. It omits the grant and the call secret, because readers of dead
 * letters may not run writes. If the message does not fit into a body, only the beginning of each text remains and the dead letter is marked `cut`.
 * Other programs may send two messages with the same id, or without an id. The dead letters of such messages have different ids, so no broker drops
 * one as a duplicate. Never throws.
 */
export function deadLetterMessage(original: Message, { queue, reason, deliveries, history, now }: GivenUp): Message {
  const letter: DeadLetter = {
    queue: shorten(queue, LONGEST_NAME),
    reason: shorten(reason, LONGEST_REASON),
    deliveries,
    history: history.map((entry) => ({ at: entry.at, reason: shorten(entry.reason, LONGEST_REASON) })),
    message: { ...original, attributes: withoutSecrets(original.attributes) },
    cut: false,
  };
  return message({
    id: `dead:${shorten(original.id, LONGEST_ID)}#${deliveries}.${digest(letter.message)}`,
    topic: topics.dead(queue),
    type: messageTypes.deadLetter,
    source: "bus",
    now,
    body: fits(letter) ? letter : cutToFit(letter),
  });
}

const SECRETS: readonly string[] = [attributes.grant, attributes.callSecret];

// Truncated texts must fit even if JSON escapes each of their characters as six bytes.
const LONGEST_NAME = 200;
const LONGEST_ID = 160;
const LONGEST_REASON = 300;
const LONGEST_VALUE = 200;
const LONGEST_BODY = 8 * 1024;
const MOST_ATTRIBUTES = 40;
const LONGEST_HISTORY = 20;

function withoutSecrets(named: Message["attributes"]): Message["attributes"] {
  return Object.fromEntries(Object.entries(named).filter(([name]) => !SECRETS.includes(name.toLowerCase())));
}

function digest(message: DeadLetter["message"]): string {
  return createHash("sha256").update(JSON.stringify(message)).digest("base64url").slice(0, 16);
}

function fits(letter: DeadLetter): boolean {
  return Buffer.byteLength(JSON.stringify(letter)) <= MAX_BODY_BYTES;
}

function cutToFit(letter: DeadLetter): DeadLetter {
  const { id, topic, type, source, time, correlationId, replyTo, attributes: named, body } = letter.message;
  const kept = Object.entries(named).slice(0, MOST_ATTRIBUTES);
  return {
    ...letter,
    history: letter.history.slice(-LONGEST_HISTORY),
    message: {
      id: shorten(id, LONGEST_NAME),
      topic: shorten(topic, LONGEST_NAME),
      type: shorten(type, LONGEST_NAME),
      source: shorten(source, LONGEST_NAME),
      time: shorten(time, LONGEST_NAME),
      ...(correlationId === undefined ? {} : { correlationId: shorten(correlationId, LONGEST_NAME) }),
      ...(replyTo === undefined ? {} : { replyTo: shorten(replyTo, LONGEST_NAME) }),
      attributes: Object.fromEntries(kept.map(([name, value]) => [shorten(name, LONGEST_NAME), shorten(value, LONGEST_VALUE)])),
      body: shorten(body, LONGEST_BODY),
    },
    cut: true,
  };
}

function shorten(text: string, longest: number): string {
  return text.length > longest ? text.slice(0, longest) : text;
}
