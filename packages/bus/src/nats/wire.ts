import { isUtf8 } from "node:buffer";
import { type Message, SPEC_VERSION } from "@toolbus/contracts";
import { readableBody } from "../readable-body.ts";
import type { Headers } from "./header-block.ts";
import { decodeText, encodeText } from "./header-text.ts";

/**
 * The headers of a message, in CloudEvents' binary mode; its body travels unchanged and its topic is the subject. `Nats-Msg-Id` includes the topic: the
 * server compares it within the whole stream, and a message to another topic is not a duplicate.
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
 * The message in a delivery from a server. A delivery that another program sent without our headers becomes a message too, with `fallbackId` and empty
 * fields, which the pipeline then judges. If a header comes twice the last one counts; bytes that are not UTF-8 become U+FFFD there, and make a body
 * invalid JSON. Never throws.
 */
export function fromWire(topic: string, headers: Headers, body: Uint8Array, fallbackId: string): Message {
  const fields = new Map<string, string>();
  const attributes: [name: string, value: string][] = [];
  for (const [name, value] of headers) {
    // Some clients write every name with capitals.
    const lower = name.toLowerCase();
    if (isReserved(lower)) fields.set(lower, decodeText(value));
    else attributes.push([decodeName(name), decodeText(value)]);
  }
  const correlationId = fields.get(CORRELATION_ID);
  const replyTo = fields.get(REPLY_TO);
  return {
    id: fields.get(ID) ?? fields.get(MESSAGE_ID.toLowerCase()) ?? fallbackId,
    topic,
    type: fields.get(TYPE) ?? "",
    source: fields.get(SOURCE) ?? "",
    time: fields.get(TIME) ?? "",
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(replyTo === undefined ? {} : { replyTo }),
    // Not assigned one by one: a name may be __proto__.
    attributes: Object.fromEntries(attributes),
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

/** Names that mean something to the server or to us; an attribute with such a name travels escaped, so that nobody gives commands to a stream. */
function isReserved(lower: string): boolean {
  return lower.startsWith("ce-") || lower.startsWith("nats-") || lower === CORRELATION_ID || lower === REPLY_TO;
}

/** Not by a TextDecoder, which would swallow a byte order mark. */
function bodyOf(content: Buffer): string {
  // With replaced bytes it could be different JSON, so the whole is made invalid.
  return isUtf8(content) ? content.toString("utf8") : `(not UTF-8) ${content.toString("utf8")}`;
}

/** An empty name would not be a header. */
const NO_NAME = "%";

function encodeName(name: string): string {
  if (name === "") return NO_NAME;
  const text = encodeText(name).replaceAll(":", "%3A");
  return isReserved(text.toLowerCase()) ? `%${text.charCodeAt(0).toString(16)}${text.slice(1)}` : text;
}

function decodeName(name: string): string {
  return name === NO_NAME ? "" : decodeText(name);
}
