import { createRequire } from "node:module";
import type { Channel } from "amqplib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PublishFields } from "./message-frames.ts";
import { messageFrames } from "./message-frames.ts";
import { quickFrames } from "./quick-frames.ts";

// These parts of amqplib are not public. The tests compare our frames with its own.
const amqplib = createRequire(createRequire(import.meta.url).resolve("amqplib"));
const { Connection } = amqplib("./lib/connection.js") as { Connection: { readonly prototype: { readonly sendMessage: SendMessage } } };
const defs = amqplib("./lib/defs.js") as Readonly<Record<string, number>>;
const { publish: fieldsOf } = amqplib("./lib/api_args.js") as {
  publish: (exchange: string, key: string, options: object) => PublishFields;
};

type SendMessage = (
  ch: number,
  method: unknown,
  fields: PublishFields,
  kind: unknown,
  properties: PublishFields,
  content: Buffer,
) => boolean;

const FRAME_MAX = 4096;
const CHANNEL = 3;

/** Returns a connection with one channel, as amqplib has them, and the bytes that are written to it. */
function setup() {
  const written: Buffer[] = [];
  const buffer = {
    write: (bytes: Buffer) => {
      written.push(Buffer.from(bytes));
      return true;
    },
  };
  const connection = { frameMax: FRAME_MAX, sentSinceLastCheck: false, channels: [null, null, null, { buffer }] };
  const { sendMessage } = Connection.prototype;
  const usual = Object.assign(Object.create(Connection.prototype) as object, connection);
  const channel = {
    ch: CHANNEL,
    connection,
    sendMessage: (fields: PublishFields, properties: PublishFields, content: Buffer): boolean =>
      sendMessage.call(usual, CHANNEL, defs["BasicPublish"], fields, defs["BasicProperties"], properties, content),
  };
  return { channel, connection, bytes: () => Buffer.concat(written.splice(0)) };
}

const shortText = fc.string({ unit: "grapheme", maxLength: 20 });
const headerValue = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.string({ minLength: 70, maxLength: 90 }),
  fc.integer({ min: -200, max: 200 }),
  fc.integer({ min: -40_000, max: 40_000 }),
  fc.integer({ min: -0x80000000, max: 0x7fffffff }),
  fc.constant(undefined),
);
/** Values that our encoder does not know. */
const strangeValue = fc.oneof(
  headerValue,
  fc.integer({ min: -1e15, max: 1e15 }),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }),
  fc.boolean(),
);
const headersOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.dictionary(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), value, { noNullPrototype: true, maxKeys: 8 });
const known = {
  contentType: shortText,
  contentEncoding: shortText,
  correlationId: shortText,
  replyTo: shortText,
  messageId: shortText,
  type: shortText,
  headers: headersOf(headerValue),
  mandatory: fc.boolean(),
  persistent: fc.boolean(),
};
const strange = { priority: fc.nat(9), expiration: fc.nat(), CC: fc.constant("elsewhere"), headers: headersOf(strangeValue) };
const options = fc.oneof(fc.record(known, { requiredKeys: ["headers"] }), fc.record({ ...known, ...strange }, { requiredKeys: [] }));

const bodies = fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ maxLength: FRAME_MAX + 20 }));

/** Returns a function that sends a message with our frames and with amqplib's, and expects the same bytes. */
function sameFrames(): (exchange: string, key: string, options: object, content?: Uint8Array) => void {
  const ours = setup();
  const theirs = setup();
  const quick = quickFrames(ours.channel);
  return (exchange, key, given, content = new Uint8Array(2)) => {
    for (const { sendMessage } of [quick, theirs.channel]) {
      const fields = fieldsOf(exchange, key, given);
      sendMessage(fields, fields, Buffer.from(content));
    }
    expect(ours.bytes().toString("latin1")).toBe(theirs.bytes().toString("latin1"));
  };
}

describe("the frames of a message", () => {
  it("are byte for byte those of amqplib, for every message", () => {
    const same = sameFrames();
    fc.assert(
      fc.property(shortText, shortText, options, bodies, (exchange, key, given, content) => same(exchange, key, given, content)),
      { numRuns: 500 },
    );
  });

  it("are those of amqplib at the limits of each form of a number, and for each property that only amqplib knows", () => {
    const same = sameFrames();
    const numbers = [7, 8, 15, 16, 31, 32].flatMap((bits) => [-1, 1].flatMap((sign) => [-1, 0, 1].map((more) => sign * 2 ** bits + more)));
    for (const n of numbers) same("calls", "key", { headers: { n } });
    for (const one of [
      { CC: "elsewhere" },
      { BCC: "elsewhere" },
      { priority: 3 },
      { expiration: 9 },
      { timestamp: 9 },
      { userId: "u" },
      { appId: "a" },
    ])
      same("calls", "key", { headers: { n: 1 }, ...one });
  });

  it("are one buffer for a message of ours, also if its body fills the frame", () => {
    const headers = { "ce-source": "agent", "toolbus-agent": "Zoë", "x-toolbus-number": 70_000 };
    const fields = fieldsOf("calls", "tool.invoke.x", { messageId: "m", type: "t", headers, persistent: true, mandatory: true });
    for (const size of [0, 1, FRAME_MAX - 8]) expect(messageFrames(CHANNEL, fields, Buffer.alloc(size), FRAME_MAX)).not.toBeNull();
    expect(messageFrames(CHANNEL, fields, Buffer.alloc(FRAME_MAX - 7), FRAME_MAX)).toBeNull();
  });

  it("are left to amqplib if they may not fit the buffer, and amqplib refuses headers over 64 KiB", () => {
    const long = setup();
    const send = (characters: number): boolean => {
      const fields = fieldsOf("calls", "key", { headers: { long: "ß".repeat(characters) } });
      expect(messageFrames(CHANNEL, fields, Buffer.from("{}"), FRAME_MAX)).toBeNull();
      return quickFrames(long.channel).sendMessage(fields, fields, Buffer.from("{}"));
    };
    expect(send(20_000)).toBe(true);
    expect(() => send(40_000)).toThrow(RangeError);
  });
});

describe("a channel with quick frames", () => {
  it("writes to its own place of the connection, which then needs no heartbeat", () => {
    const { channel, connection, bytes } = setup();
    const fields = fieldsOf("calls", "key", { headers: {} });
    quickFrames(channel).sendMessage(fields, fields, Buffer.from("{}"));
    expect(bytes().readUInt16BE(1)).toBe(CHANNEL);
    expect(connection.sentSinceLastCheck).toBe(true);
  });

  it("is not changed if amqplib is not as expected", () => {
    const { channel } = setup();
    for (const part of ["ch", "connection", "sendMessage"] as const) {
      const strange: object = { ...channel, [part]: undefined };
      const before = { ...strange };
      expect(quickFrames(strange as Channel)).toEqual(before);
    }
  });
});
