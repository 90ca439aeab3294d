import { describeProblems, MAX_BODY_BYTES, type Message, type Parsed } from "@toolbus/contracts";

export interface Strictness<T> {
  /** A parser of the contracts. */
  readonly parse: (value: unknown) => Parsed<T>;
  /** The accepted message types; by default any, and the body decides. */
  readonly types?: readonly string[];
}

/** How old a message may be; `now` is the wall clock. Both in milliseconds. */
export interface AgeLimit {
  readonly now: number;
  readonly maxAgeMs: number;
}

/** `illFormed`: no consumer can work on it, whenever it was sent and whatever happens to it. */
export type StrictlyRead<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly illFormed: boolean; readonly reason: string };

/**
 * Reads a message that anyone may have sent: size, names, type, time, JSON, schema; the first fault is the reason. Never throws; a refusal names the fault
 * in at most 300 characters, which may quote field names of the body but none of its values.
 */
export function readStrictly<T>(message: Message, { parse, types }: Strictness<T>, age?: AgeLimit): StrictlyRead<T> {
  if (Buffer.byteLength(message.body) > MAX_BODY_BYTES) return refuse(`the body is over ${MAX_BODY_BYTES} bytes`);
  if (attributeBytes(message) > MAX_ATTRIBUTE_BYTES) return refuse(`the attributes are over ${MAX_ATTRIBUTE_BYTES} bytes`);
  const longName = NAMES.find((name) => Buffer.byteLength(message[name] ?? "") > MAX_NAME_BYTES);
  if (longName) return refuse(`the ${longName} is over ${MAX_NAME_BYTES} bytes`);
  if (types && !types.includes(message.type)) return refuse(`the type is not one of ${types.join(", ")}`);
  const sent = RFC_3339.test(message.time) ? Date.parse(message.time) : Number.NaN;
  if (age && Number.isNaN(sent)) return refuse("the time is not RFC 3339");
  const read = bodyOf(message, parse);
  const wrongAge = age && faultOfAge(sent, age);
  // An odd date does not make a malformed message any better.
  return wrongAge === undefined ? read : refuse(wrongAge, !read.ok && read.illFormed);
}

function bodyOf<T>(message: Message, parse: Strictness<T>["parse"]): StrictlyRead<T> {
  try {
    const parsed = parse(JSON.parse(message.body));
    return parsed.ok ? { ok: true, body: parsed.value } : refuse(`the body breaks its schema: ${describeProblems(parsed.problems)}`);
  } catch (error) {
    // A check that fails is a fault of ours, and the message may be valid.
    return error instanceof SyntaxError ? refuse("the body is not JSON") : refuse("the body cannot be checked", false);
  }
}

/** What RabbitMQ's header table can carry; none of our messages comes near. */
const MAX_ATTRIBUTE_BYTES = 64 * 1024;
/** What RabbitMQ's properties can carry. Services store ids of messages in documents, which have their own limits. */
const MAX_NAME_BYTES = 255;
const NAMES = ["id", "type", "source", "correlationId", "replyTo"] as const;
const LONGEST_REASON = 300;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

function refuse(reason: string, illFormed = true): { readonly ok: false; readonly illFormed: boolean; readonly reason: string } {
  return { ok: false, illFormed, reason: reason.slice(0, LONGEST_REASON) };
}

function attributeBytes(message: Message): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(message.attributes)) bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  return bytes;
}

function faultOfAge(sent: number, { now, maxAgeMs }: AgeLimit): string | undefined {
  if (now - sent > maxAgeMs) return `the message is older than ${maxAgeMs} ms`;
  // A date far ahead would never grow too old.
  if (sent - now > maxAgeMs) return `the message is dated more than ${maxAgeMs} ms ahead`;
  return undefined;
}
