import { attributes, type DeadMessage } from "@toolbus/contracts";

const SECRETS: readonly string[] = [attributes.grant, attributes.callSecret];

/**
 * Returns the attributes that a reader of a dead letter may see. A dead letter has no other attributes, but a message that a broker gave up by itself
 * may have some.
 */
export function withoutSecrets(named: DeadMessage["attributes"]): DeadMessage["attributes"] {
  return Object.fromEntries(Object.entries(named).filter(([name]) => !SECRETS.includes(name.toLowerCase())));
}

// The limits are in bytes of JSON, in which a character may need six.
const NAME_BYTES = 512;
const ATTRIBUTES_BYTES = 8 * 1024;
const VALUE_BYTES = 1024;
const BODY_BYTES = 12 * 1024;

/**
 * Truncates a message that is too large to be kept. The result has the beginning of the body and as many attributes as fit. It has at most 24 KiB of
 * JSON.
 */
export function cutMessage({ id, topic, type, source, time, correlationId, replyTo, attributes: named, body }: DeadMessage): DeadMessage {
  const name = (text: string): string => cutText(text, NAME_BYTES);
  return {
    id: name(id),
    topic: name(topic),
    type: name(type),
    source: name(source),
    time: name(time),
    ...(correlationId === undefined ? {} : { correlationId: name(correlationId) }),
    ...(replyTo === undefined ? {} : { replyTo: name(replyTo) }),
    attributes: cutAttributes(named),
    body: cutText(body, BODY_BYTES),
  };
}

function cutAttributes(named: DeadMessage["attributes"]): DeadMessage["attributes"] {
  const kept: [string, string][] = [];
  let left = ATTRIBUTES_BYTES;
  for (const [name, value] of Object.entries(named)) {
    const entry: [string, string] = [cutText(name, NAME_BYTES), cutText(value, VALUE_BYTES)];
    left -= utf8Bytes(entry);
    if (left < 0) break;
    kept.push(entry);
  }
  return Object.fromEntries(kept);
}

/** Returns the longest beginning of a text whose JSON has at most this many bytes. */
function cutText(text: string, bytes: number): string {
  // Every character has at least one byte, so the search need not check longer texts.
  let [fits, tooLong] = [0, Math.min(text.length, bytes) + 1];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (utf8Bytes(text.slice(0, middle)) <= bytes) fits = middle;
    else tooLong = middle;
  }
  return text.slice(0, fits);
}

/** Returns the size of a value as JSON, in bytes. */
export function utf8Bytes(value: DeadMessage | string | readonly string[]): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export function shorten(text: string, longest: number): string {
  return text.length > longest ? text.slice(0, longest) : text;
}
