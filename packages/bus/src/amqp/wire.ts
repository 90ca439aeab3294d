import { isUtf8 } from "node:buffer";
import { type Message, SPEC_VERSION } from "@toolbus/contracts";
import { readableBody } from "../readable-body.ts";

/** A message in the form that amqplib publishes. The publisher may add headers to it. */
export interface WireMessage {
  readonly content: Buffer;
  readonly properties: WireProperties;
}

export interface WireProperties {
  readonly contentType: string;
  contentEncoding?: string;
  messageId?: string;
  type?: string;
  correlationId?: string;
  replyTo?: string;
  readonly headers: Record<string, string | number>;
}

/** The parts of a delivery that contain the message. The sender may have written anything into them. */
export interface ReceivedMessage {
  readonly content: Buffer;
  readonly fields: { readonly deliveryTag: number };
  readonly properties: Readonly<Partial<Record<"contentEncoding" | "messageId" | "type" | "correlationId" | "replyTo", unknown>>> & {
    readonly headers?: Readonly<Record<string, unknown>> | undefined;
  };
}

/**
 * Returns the message in CloudEvents' binary mode. Its topic is the routing key. AMQP cannot transport some values in their usual place: a name over
 * 255 bytes, a lone surrogate, or a header that RabbitMQ treats as a command. This function writes these values as JSON into one header of our own.
 */
export function toWire(message: Message): WireMessage {
  const { id, type, source, time, correlationId, replyTo, attributes, body } = message;
  const headers: WireProperties["headers"] = { [SPECVERSION]: SPEC_VERSION };
  const properties: WireProperties = { contentType: JSON_TYPE, headers };
  let elsewhere: Elsewhere | null = null;
  if (fitsShortString(id)) properties.messageId = id;
  else elsewhere = { id };
  if (fitsShortString(type)) properties.type = type;
  else elsewhere = { ...elsewhere, type };
  if (source.isWellFormed()) headers[SOURCE] = source;
  else elsewhere = { ...elsewhere, source };
  if (time.isWellFormed()) headers[TIME] = time;
  else elsewhere = { ...elsewhere, time };
  if (correlationId !== undefined)
    if (fitsShortString(correlationId)) properties.correlationId = correlationId;
    else elsewhere = { ...elsewhere, correlationId };
  if (replyTo !== undefined)
    if (fitsShortString(replyTo)) properties.replyTo = replyTo;
    else elsewhere = { ...elsewhere, replyTo };
  for (const name of Object.keys(attributes)) {
    const value = attributes[name] ?? "";
    if (isPlainName(name) && value.isWellFormed()) headers[name] = value;
    else elsewhere = { ...elsewhere, attributes: [...(elsewhere?.attributes ?? []), [name, value]] };
  }
  if (elsewhere) headers[ELSEWHERE] = JSON.stringify(elsewhere);
  if (body.isWellFormed()) return { content: Buffer.from(body, "utf8"), properties };
  // UTF-8 cannot express a lone surrogate.
  properties.contentEncoding = UTF_16;
  return { content: Buffer.from(body, "utf16le"), properties };
}

/**
 * Returns the message in a delivery from the broker. If another program sent it without our properties, the message has an id for this delivery and
 * empty fields, and the pipeline decides whether to accept it. Bytes that are not UTF-8 become a body that is not JSON. Never throws.
 */
export function fromWire(topic: string, { content, fields, properties }: ReceivedMessage): Message {
  const headers = properties.headers ?? {};
  const elsewhere = readElsewhere(headers[ELSEWHERE]);
  const attributes: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headerText(headers[name]);
    if (value !== undefined && !RESERVED.test(name)) attributes[name] = value;
  }
  const correlationId = textOf(properties.correlationId) ?? elsewhere.correlationId;
  const replyTo = textOf(properties.replyTo) ?? elsewhere.replyTo;
  return {
    id: textOf(properties.messageId) ?? elsewhere.id ?? `${topic}#${fields.deliveryTag}`,
    topic,
    type: textOf(properties.type) ?? elsewhere.type ?? "",
    source: textOf(headers[SOURCE]) ?? elsewhere.source ?? "",
    time: textOf(headers[TIME]) ?? elsewhere.time ?? "",
    ...(correlationId === undefined ? undefined : { correlationId }),
    ...(replyTo === undefined ? undefined : { replyTo }),
    attributes: elsewhere.attributes ? withMore(attributes, elsewhere.attributes) : attributes,
    body: bodyOf(readableBody(content), properties.contentEncoding),
  };
}

const JSON_TYPE = "application/json";
const UTF_16 = "utf-16le";
const SPECVERSION = "ce-specversion";
const SOURCE = "ce-source";
const TIME = "ce-time";
const ELSEWHERE = "x-toolbus-elsewhere";

/** The values that AMQP cannot transport in their usual place. */
interface Elsewhere {
  readonly id?: string;
  readonly type?: string;
  readonly source?: string;
  readonly time?: string;
  readonly correlationId?: string;
  readonly replyTo?: string;
  readonly attributes?: readonly (readonly [name: string, value: string])[];
}

/**
 * Headers with a special meaning. The headers of RabbitMQ and our own begin with x-, and those of CloudEvents with ce-. RabbitMQ routes by CC and
 * BCC.
 */
const RESERVED = /^(?:x-|ce-|b?cc$)/i;
const PLAIN_NAME = /^[a-z][\w.-]{0,127}$/i;

function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name) && !RESERVED.test(name);
}

/** Returns whether a text fits into 255 bytes. A UTF-16 unit has at most three bytes in UTF-8, so short texts need no count. */
function fitsShortString(text: string): boolean {
  return text.isWellFormed() && (text.length <= 85 || Buffer.byteLength(text) <= 255);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns the text of a header. Other clients may send numbers and booleans. The function ignores tables and lists, because our messages have no
 * place for them.
 */
function headerText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}

function bodyOf(content: Buffer, encoding: unknown): string {
  if (encoding === UTF_16) return content.toString("utf16le");
  // With replaced bytes the body could be different JSON, so a prefix makes it invalid.
  return isUtf8(content) ? content.toString("utf8") : `(not UTF-8) ${content.toString("utf8")}`;
}

/** Returns both sets of attributes together. It does not assign attributes one by one, because a name may be __proto__. */
function withMore(attributes: Record<string, string>, more: Required<Elsewhere>["attributes"]): Record<string, string> {
  return Object.fromEntries([...Object.entries(attributes), ...more]);
}

const NOTHING: Elsewhere = {};

function readElsewhere(header: unknown): Elsewhere {
  if (typeof header !== "string") return NOTHING;
  try {
    const parsed: unknown = JSON.parse(header);
    return typeof parsed === "object" && parsed !== null ? textsOf(parsed) : NOTHING;
  } catch {
    return NOTHING;
  }
}

function textsOf(parsed: object): Elsewhere {
  const pairs: unknown = "attributes" in parsed ? parsed.attributes : undefined;
  const texts = Object.entries(parsed).filter(([name, value]) => FIELDS.includes(name) && typeof value === "string");
  return { ...Object.fromEntries(texts), ...(Array.isArray(pairs) ? { attributes: pairs.filter(isPair) } : {}) };
}

const FIELDS: readonly string[] = ["id", "type", "source", "time", "correlationId", "replyTo"];

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === "string");
}
