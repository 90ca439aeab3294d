import type { Message } from "@toolbus/contracts";
import { type BodyMutation, bodyMutations } from "../fuzz/body-mutations.ts";
import type { FuzzTopic } from "../fuzz/fuzz-topics.ts";
import type { Random } from "../fuzz/random.ts";
import { refusalOf } from "../fuzz/refusals.ts";
import { NUMBER, numberOf } from "../fuzz/witness.ts";

/** A message from another program. Parts that are absent here are not sent at all. */
export interface ForeignMessage {
  readonly what: string;
  readonly about: FuzzTopic;
  /** The number that identifies the message, or null if it has no header. */
  readonly n: number | null;
  readonly fields: { readonly [Name in "id" | "type" | "source" | "time" | "correlationId" | "replyTo"]?: string | undefined };
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** The reason why the message must be given up. Null if a handler must receive the message. "anything" if the message only has to end. */
  readonly expected: string | null;
}

type Change = Partial<Omit<ForeignMessage, "what" | "about" | "n">>;

const HOUR = 3_600_000;

/**
 * Returns messages for one topic. There is one message for each mistake of a program that does not know our adapters. `good` makes the message that
 * the program should have sent.
 */
export function foreignMessages(about: FuzzTopic, good: () => Message, random: Random, now: number): readonly ForeignMessage[] {
  const [type = ""] = about.types;
  const at = (ms: number): Change => ({ fields: { ...fieldsOf(good()), time: new Date(now + ms).toISOString() } });
  const changes: readonly (readonly [what: string, change: (given: Message) => Change])[] = [
    ["everything right", () => ({})],
    ["no header at all", () => ({ fields: {}, headers: [], expected: "unknown type" })],
    ["no header and bytes that are not text", () => ({ fields: {}, headers: [], body: NO_UTF8, expected: "unknown type" })],
    ["a type and nothing else", () => ({ fields: { type }, expected: "no time" })],
    ["no id", (given) => ({ fields: { ...fieldsOf(given), id: undefined } })],
    ["an id", (given) => ({ fields: { ...fieldsOf(given), id: "order-1" }, body: Buffer.from("{"), expected: "no JSON" })],
    ["the same id again", (given) => ({ fields: { ...fieldsOf(given), id: "order-1" }, body: Buffer.from("["), expected: "no JSON" })],
    ["no id and no JSON", (given) => ({ fields: { ...fieldsOf(given), id: undefined }, body: Buffer.from("{"), expected: "no JSON" })],
    ["bytes that are not text", () => ({ body: NO_UTF8, expected: "no JSON" })],
    [
      "half a character at the end",
      (given) => ({ body: Buffer.concat([Buffer.from(given.body), Buffer.from([0xe2, 0x82])]), expected: "no JSON" }),
    ],
    // A reader that replaced each invalid byte would get valid JSON from this body.
    ["Latin-1", (given) => ({ body: Buffer.from(given.body.replace("{", '{"café":1,'), "latin1"), expected: "no JSON" })],
    ["no body", () => ({ body: new Uint8Array(), expected: "no JSON" })],
    ["UTF-16", (given) => ({ body: Buffer.from(given.body, "utf16le"), expected: "no JSON" })],
    ["a body over the limit", (given) => ({ body: Buffer.from(given.body.padEnd(300_000)), expected: "too large" })],
    ["headers over the limit", () => ({ headers: [["filler", "x".repeat(66_000)]], expected: "too large" })],
    ["from long ago", () => ({ ...at(-25 * HOUR), expected: "too old" })],
    ["from the future", () => ({ ...at(25 * HOUR), expected: "dated ahead" })],
    ["another type", (given) => ({ fields: { ...fieldsOf(given), type: "com.example.order" }, expected: "unknown type" })],
    ["headers that nobody knows", (given) => ({ headers: [...Object.entries(given.attributes), ...ODD_HEADERS] })],
    [
      "headers in capitals",
      (given) => ({
        headers: Object.entries(given.attributes).map(([name, value]) => [name.toUpperCase(), value] as const),
        expected: "anything",
      }),
    ],
    ...Object.entries(bodyMutations).map(
      ([what, mutate]) => [what, (given: Message) => ({ body: mutated(given, mutate, random) })] as const,
    ),
  ];
  return changes.map(([what, change]) => {
    const given = good();
    const plain = { fields: fieldsOf(given), headers: Object.entries(given.attributes), body: Buffer.from(given.body) };
    const sent: Omit<ForeignMessage, "what" | "about" | "n" | "expected"> & Change = { ...plain, ...change(given) };
    const n = sent.headers.length > 0 ? numberOf(given) : null;
    return {
      what,
      about,
      ...sent,
      n,
      headers: n === null ? [] : [[NUMBER, String(n)], ...sent.headers.filter(([name]) => name.toLowerCase() !== NUMBER)],
      expected: expectedOf(sent, about, refusalOf({ ...given, body: Buffer.from(sent.body).toString() }, about, now)),
    };
  });
}

/** Returns the reason that is expected for the change. If the change has none, returns the reason that is expected for the text of the body. */
function expectedOf({ expected }: Change, { kind }: FuzzTopic, otherwise: string | null): string | null {
  if (expected === undefined) return otherwise;
  // A broadcast is not queued, so its time does not matter.
  return kind === "broadcast" && TIMES.includes(expected) ? null : expected;
}

const TIMES: readonly (string | null)[] = ["no time", "too old", "dated ahead"];

/** Bytes that are invalid in every way: an overlong form, a truncated character, a surrogate, and a byte that never occurs. */
const NO_UTF8 = Uint8Array.from([0xc0, 0x80, 0xe2, 0x82, 0xed, 0xa0, 0x80, 0xff, 0x7b]);

const ODD_HEADERS: ForeignMessage["headers"] = [
  ["__proto__", "x"],
  ["constructor", "x"],
  ["x-death", "x"],
  ["x-delivery-count", "many"],
  ["X-Request-Id", "é 💥 %zz %e2%82"],
  ["content-type", "text/xml"],
  ["ce-specversion", "9.9"],
  ["toolbus-dispatch", "-1"],
  ["toolbus-not-after", "1e999"],
  ["traceparent", "00-zz"],
];

function fieldsOf({ id, type, source, time, correlationId, replyTo }: Message): ForeignMessage["fields"] {
  return {
    id,
    type,
    source,
    time,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

/** Returns the body as UTF-8, as it is sent on the network. UTF-8 cannot contain a lone surrogate. */
function mutated({ body }: Message, mutate: BodyMutation, random: Random): Uint8Array {
  return Buffer.from(mutate(body, random));
}
