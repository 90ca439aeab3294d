import { type Message, MAX_BODY_BYTES } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { fromWire as fromAmqp } from "./amqp/wire.ts";
import { deadLetterMessage } from "./dead-letter.ts";
import { fromWire as fromNats } from "./nats/wire.ts";
import { readStrictly } from "./strict-message.ts";

const LARGE = 50 * 1024 * 1024;
const amqp = (content: Buffer, contentEncoding?: string): Message =>
  fromAmqp("orders", { content, fields: { deliveryTag: 1 }, properties: contentEncoding === undefined ? {} : { contentEncoding } });
const nats = (content: Buffer): Message => fromNats("orders", [], content, "m1");

describe("a body of 50 MB", () => {
  it.each([
    ["on AMQP", () => amqp(Buffer.alloc(LARGE, "x"))],
    ["on AMQP in UTF-16", () => amqp(Buffer.alloc(LARGE, Buffer.from("x", "utf16le")), "utf-16le")],
    ["on AMQP with characters of three bytes", () => amqp(Buffer.alloc(LARGE, "好"))],
    ["on NATS", () => nats(Buffer.alloc(LARGE, "x"))],
  ])("%s is refused for its size and dead-lettered with its beginning, and hardly any of it is read", (_, receive) => {
    const message = receive();
    expect(message.body.length).toBeLessThan(3 * MAX_BODY_BYTES);
    const read = readStrictly(message, { parse: () => ({ ok: true, value: null }) });
    expect(read).toMatchObject({ ok: false, reason: `the body is over ${MAX_BODY_BYTES} bytes` });
    const letter = deadLetterMessage(message, { queue: "orders", reason: "too large", deliveries: 1, history: [], now: 0 });
    expect(JSON.parse(letter.body)).toMatchObject({
      cut: true,
      message: { body: expect.stringMatching(/^(x|好|\(not UTF-8\) 好)/) as string },
    });
  });
});

describe("a body of the maximum size", () => {
  it("is read in full", () => {
    const body = "x".repeat(MAX_BODY_BYTES);
    expect([amqp(Buffer.from(body)).body, nats(Buffer.from(body)).body, amqp(Buffer.from(body, "utf16le"), "utf-16le").body]).toEqual([
      body,
      body,
      body,
    ]);
  });
});
