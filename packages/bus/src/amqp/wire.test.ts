import type { Message } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { probe } from "../conformance/probe.ts";
import { fromWire, type ReceivedMessage, toWire } from "./wire.ts";

const fields = { deliveryTag: 7 };
const received = (content: Buffer | string, properties: ReceivedMessage["properties"] = {}): ReceivedMessage => ({
  content: Buffer.from(content),
  fields,
  properties,
});

/** Any JavaScript string, including halves of surrogate pairs. */
const text = fc.string({ unit: "binary", maxLength: 400 });
const names = fc.oneof(text, fc.constantFrom("CC", "bcc", "x-death", "x-delivery-count", "ce-time", "__proto__", "constructor"));
const anyMessage: fc.Arbitrary<Message> = fc
  .record(
    {
      id: text,
      type: text,
      source: text,
      time: text,
      correlationId: text,
      replyTo: text,
      attributes: fc.dictionary(names, text),
      body: text,
    },
    { requiredKeys: ["id", "type", "source", "time", "attributes", "body"] },
  )
  .map((parts) => ({ ...parts, topic: "orders" }));

describe("a message on AMQP", () => {
  it("has each part in its place", () => {
    const message = probe("orders", "m1", {
      type: "toolbus.tool.invoke",
      source: "agent",
      time: "2026-01-02T03:04:05.000Z",
      correlationId: "call-1",
      replyTo: "tool.result.default",
      attributes: { "toolbus-era": "3", traceparent: "00-aa-bb-01" },
      body: '{"a":1}',
    });
    expect(toWire(message)).toEqual({
      content: Buffer.from('{"a":1}'),
      properties: {
        contentType: "application/json",
        messageId: "m1",
        type: "toolbus.tool.invoke",
        correlationId: "call-1",
        replyTo: "tool.result.default",
        headers: {
          "ce-specversion": "1.0",
          "ce-source": "agent",
          "ce-time": "2026-01-02T03:04:05.000Z",
          "toolbus-era": "3",
          traceparent: "00-aa-bb-01",
        },
      },
    });
  });

  it("survives the wire, whatever it contains, within the limits of AMQP", () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const { content, properties } = toWire(message);
        const { headers, contentEncoding: _, ...short } = properties;
        for (const value of Object.values(short)) expect(Buffer.byteLength(value ?? "")).toBeLessThanOrEqual(255);
        for (const name of Object.keys(headers)) expect(name).toMatch(/^[\w.-]{1,128}$/);
        expect(Object.keys(headers).filter((name) => /^b?cc$/i.test(name))).toEqual([]);
        // The wire transports texts only as UTF-8.
        const overTheWire = JSON.parse(Buffer.from(JSON.stringify(properties)).toString());
        expect(fromWire("orders", { content, fields, properties: overTheWire })).toEqual(message);
      }),
    );
  });

  it("has empty fields and its own id if another program sent it without our headers", () => {
    expect(fromWire("orders", received("{}"))).toEqual({
      id: "orders#7",
      topic: "orders",
      type: "",
      source: "",
      time: "",
      attributes: {},
      body: "{}",
    });
  });

  it("is readable whatever its properties and bytes contain", () => {
    const properties = fc.record({ messageId: fc.anything(), type: fc.anything(), headers: fc.dictionary(names, fc.anything()) });
    fc.assert(
      fc.property(fc.uint8Array(), properties, fc.string(), (bytes, foreign, elsewhere) => {
        const headers = { ...foreign.headers, "x-toolbus-elsewhere": elsewhere };
        const message = fromWire("orders", received(Buffer.from(bytes), { ...foreign, headers }));
        expect(Object.values(message.attributes).every((value) => typeof value === "string")).toBe(true);
      }),
    );
  });

  it("has numbers and booleans as texts, and neither tables nor headers with a meaning to RabbitMQ", () => {
    const headers = {
      count: 7,
      truth: false,
      table: { a: 1 },
      list: [1],
      bytes: Buffer.from("a"),
      "x-death": "x",
      CC: "queue",
      none: null,
    };
    expect(fromWire("orders", received("{}", { headers })).attributes).toEqual({ count: "7", truth: "false" });
  });

  it("has a body that is not JSON if its bytes are not UTF-8", () => {
    const { body } = fromWire("orders", received(Buffer.from([0x22, 0xff, 0x22])));
    expect(body).toBe('(not UTF-8) "\ufffd"');
    expect(() => JSON.parse(body)).toThrow(SyntaxError);
  });
});
