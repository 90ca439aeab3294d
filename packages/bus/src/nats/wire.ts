import { isUtf8 } from "node:buffer";
import { type Message, SPEC_VERSION } from "@toolbus/contracts";
import { readableBody } from "../readable-body.ts";
import type { Headers } from "./header-block.ts";
import { decodeText, encodeText } from "./header-text.ts";

/**
 * Returns the headers of a message, in CloudEvents' binary mode. Its body is not changed, and its topic is the subject. `Nats-Msg-Id` includes the
 * topic, because the server compares this id within the whole stream. A message to another topic is not a duplicate.
 */
export function toHeaders(message: Message): Headers {
  const id = encodeText(message.id);
  const headers: [name: string, value: string][] = [
    [MESSAGE_ID, `${message.topic}/${id}`],
    [ID, id],
    [SPECVERSION, SPEC_VERSION],
    [TYPE, encodeText(message.type)],
    [SOURCE, encodeText(message.source)],
    [TIME, encodeText(message.time)],
  ];
  if (message.correlationId !== undefined) headers.push([CORRELATION_ID, encodeText(message.correlationId)]);
  if (message.replyTo !== undefined) headers.push([REPLY_TO, encodeText(message.replyTo)]);
  for (const name of Object.keys(message.attributes)) headers.push([encodeName(name), encodeText(message.attributes[name] ?? "")]);
  return headers;
}

/**
 * Returns the message in a delivery from a server. If another program sent it without our headers, the message has `fallbackId` and empty fields, and
 * the pipeline decides whether to accept it. If a header occurs twice, the last one is used. In a header, bytes that are not UTF-8 become U+FFFD. In
 * a body, they make the JSON invalid. Never throws.
 */
export function fromWire(topic: string, headers: Headers, body: Uint8Array, fallbackId: string): Message {
  const fields: Partial<Record<Field, string>> = {};
  const attributes: Record<string, string> = {};
  for (const [name, value] of headers) {
    // Some clients capitalize every name.
    const lower = name.toLowerCase();
    const field = FIELDS.get(lower);
    if (field !== undefined) fields[field] = decodeText(value);
    else if (!isReserved(lower)) setOwn(attributes, decodeName(name), decodeText(value));
  }
  const { correlationId, replyTo } = fields;
  return {
    id: fields.id ?? fields.messageId ?? fallbackId,
    topic,
    type: fields.type ?? "",
    source: fields.source ?? "",
    time: fields.time ?? "",
    ...(correlationId === undefined ? undefined : { correlationId }),
    ...(replyTo === undefined ? undefined : { replyTo }),
    attributes,
    body: bodyOf(readableBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength))),
  };
}

const MESSAGE_ID = "Nats-Msg-Id";
const ID = "ce-id";
const SPECVERSION = "ce-specversion";
const TYPE = "ce-type";
const SOURCE = "ce-source";
const TIME = "ce-time";
const CORRELATION_ID = "toolbus-correlation-id";
const REPLY_TO = "toolbus-reply-to";

type Field = "id" | "messageId" | "type" | "source" | "time" | "correlationId" | "replyTo";

/** The headers that contain fields of a message, by their names in lower case. */
const FIELDS: ReadonlyMap<string, Field> = new Map([
  [ID, "id"],
  [MESSAGE_ID.toLowerCase(), "messageId"],
  [TYPE, "type"],
  [SOURCE, "source"],
  [TIME, "time"],
  [CORRELATION_ID, "correlationId"],
  [REPLY_TO, "replyTo"],
]);

/** Sets a member of the object itself, also if its name is `__proto__`. */
function setOwn(object: Record<string, string>, name: string, value: string): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/**
 * Returns whether a name has a meaning for the server or for us. An attribute with a reserved name is escaped, so that a sender's attribute can neither
 * control the stream (`Nats-Rollup`) nor replace a header of ours.
 */
function isReserved(lower: string): boolean {
  return lower.startsWith("ce-") || lower.startsWith("nats-") || lower === CORRELATION_ID || lower === REPLY_TO;
}

/** Returns the text of a body. A TextDecoder would remove a byte order mark. */
function bodyOf(content: Buffer): string {
  // With replaced bytes the body could be different JSON, so a prefix makes it invalid.
  return isUtf8(content) ? content.toString("utf8") : `(not UTF-8) ${content.toString("utf8")}`;
}

/** The encoded form of an empty name, which would not be a header. */
const NO_NAME = "%";

function encodeName(name: string): string {
  if (name === "") return NO_NAME;
  const text = encodeText(name).replaceAll(":", "%3A");
  return isReserved(text.toLowerCase()) ? `%${text.charCodeAt(0).toString(16)}${text.slice(1)}` : text;
}

function decodeName(name: string): string {
  return name === NO_NAME ? "" : decodeText(name);
}
