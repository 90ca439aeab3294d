import { describeProblems, MAX_BODY_BYTES, type Message, type Parsed } from "@toolbus/contracts";

export interface Strictness<T> {
  /** A parser from the contracts package. */
  readonly parse: (value: unknown) => Parsed<T>;
  /** The accepted message types. By default every type is accepted, and only the body decides. */
  readonly types?: readonly string[];
}

/** The highest age of a message and the wall-clock time, both in milliseconds. */
export interface AgeLimit {
  readonly now: number;
  readonly maxAgeMs: number;
}

/** The result of a strict read. `illFormed` means that no consumer can ever work on the message, whatever its age. */
export type StrictlyRead<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly illFormed: boolean; readonly reason: string };

/**
 * Reads a message that anyone may have sent. It checks size, names, type, time, JSON and schema. The first fault is the reason for the refusal. The
 * reason has at most 300 characters. It may quote field names of the body, but never its values. Never throws.
 */
export function readStrictly<T>(message: Message, { parse, types }: Strictness<T>, age?: AgeLimit): StrictlyRead<T> {
  if (isLonger(message.body, MAX_BODY_BYTES)) return refuse(`the body is over ${MAX_BODY_BYTES} bytes`);
  if (areLonger(message.attributes, MAX_ATTRIBUTE_BYTES)) return refuse(`the attributes are over ${MAX_ATTRIBUTE_BYTES} bytes`);
  const longName = NAMES.find((name) => isLonger(message[name] ?? "", MAX_NAME_BYTES));
  if (longName) return refuse(`the ${longName} is over ${MAX_NAME_BYTES} bytes`);
  if (types && !types.includes(message.type)) return refuse(`the type is not one of ${types.join(", ")}`);
  const sent = RFC_3339.test(message.time) ? Date.parse(message.time) : Number.NaN;
  if (age && Number.isNaN(sent)) return refuse("the time is not RFC 3339");
  const read = bodyOf(message, parse);
  const wrongAge = age && faultOfAge(sent, age);
  // A malformed message remains malformed if its date is wrong as well.
  return wrongAge === undefined ? read : refuse(wrongAge, !read.ok && read.illFormed);
}

function bodyOf<T>(message: Message, parse: Strictness<T>["parse"]): StrictlyRead<T> {
  try {
    const parsed = parse(JSON.parse(message.body));
    return parsed.ok ? { ok: true, body: parsed.value } : refuse(`the body breaks its schema: ${describeProblems(parsed.problems)}`);
  } catch (error) {
    // If the parser throws, the fault is ours and the message may be valid.
    return error instanceof SyntaxError ? refuse("the body is not JSON") : refuse("the body cannot be checked", false);
  }
}

/** The limit of RabbitMQ's header table. The attributes of our own messages are far smaller. */
const MAX_ATTRIBUTE_BYTES = 64 * 1024;
/** The limit of RabbitMQ's properties. Services store ids of messages in documents, which have their own limits. */
const MAX_NAME_BYTES = 255;
const NAMES = ["id", "type", "source", "correlationId", "replyTo"] as const;
const LONGEST_REASON = 300;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

function refuse(reason: string, illFormed = true): { readonly ok: false; readonly illFormed: boolean; readonly reason: string } {
  return { ok: false, illFormed, reason: reason.slice(0, LONGEST_REASON) };
}

/** Returns whether a text has more bytes in UTF-8. A UTF-16 unit has at most three bytes, so most texts need no count. */
function isLonger(text: string, most: number): boolean {
  return text.length * 3 > most && Buffer.byteLength(text) > most;
}

/** Returns whether the names and values together have more bytes in UTF-8. */
function areLonger(attributes: Message["attributes"], most: number): boolean {
  const names = Object.keys(attributes);
  let units = 0;
  for (const name of names) units += name.length + (attributes[name]?.length ?? 0);
  if (units * 3 <= most) return false;
  let bytes = 0;
  for (const name of names) bytes += Buffer.byteLength(name) + Buffer.byteLength(attributes[name] ?? "");
  return bytes > most;
}

function faultOfAge(sent: number, { now, maxAgeMs }: AgeLimit): string | undefined {
  if (now - sent > maxAgeMs) return `the message is older than ${maxAgeMs} ms`;
  // A message that is dated far ahead would otherwise never become too old.
  if (sent - now > maxAgeMs) return `the message is dated more than ${maxAgeMs} ms ahead`;
  return undefined;
}
