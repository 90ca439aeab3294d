import type { Message } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { probe } from "../conformance/probe.ts";
import { readHeaderBlock, writeHeaderBlock } from "./header-block.ts";
import { fromWire, toHeaders } from "./wire.ts";

const BODY = new Uint8Array();

/** Converts a message to the bytes on the wire and back. */
function throughWire(message: Message): Message {
  const { headers } = readHeaderBlock(writeHeaderBlock(toHeaders(message)));
  return fromWire(message.topic, headers, new TextEncoder().encode(message.body), "fallback");
}

// Any text that UTF-8 can express, with many characters that headers cannot contain.
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom(" ", "%", ":", "\r", "\n", "\t", "\u0000", "é", "世", "🚀", "a", '"', "\ufeff", "%41") }),
);
const attributeName = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "", "%", "Nats-Msg-Id", "nats-rollup", "ce-id", "CE-ID", "toolbus-reply-to", "7", "toString"),
);
const messages: fc.Arbitrary<Message> = fc
  .record({
    id: text,
    type: text,
    source: text,
    time: text,
    correlationId: fc.option(text, { nil: undefined }),
    replyTo: fc.option(text, { nil: undefined }),
    attributes: fc.array(fc.tuple(attributeName, text), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
    body: text,
  })
  .map(({ correlationId, replyTo, ...rest }) => ({
    topic: "orders",
    ...rest,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(replyTo === undefined ? {} : { replyTo }),
  }));

describe("a message on the wire of NATS", () => {
  it("arrives as it was sent, whatever its texts", () => {
    fc.assert(
      fc.property(messages, (message) => {
        const arrived = throughWire(message);
        expect(arrived).toEqual(message);
        expect(new Map(Object.entries(arrived.attributes))).toEqual(new Map(Object.entries(message.attributes)));
      }),
      { numRuns: 1000 },
    );
  });

  it("is printable ASCII in its headers, with the message id as the only server header", () => {
    fc.assert(
      fc.property(messages, (message) => {
        for (const [name, value] of toHeaders(message)) {
          expect(name).toMatch(/^[!-9;-~]+$/);
          expect(value).toMatch(/^[!-~]*$/);
        }
        expect(toHeaders(message).filter(([name]) => /^nats-/i.test(name))).toHaveLength(1);
      }),
    );
  });

  it("has its fields where CloudEvents and our own headers have them", () => {
    const message = probe("orders", "m 1", {
      correlationId: "call-1",
      replyTo: "tool.result.default",
      attributes: { traceparent: "00-a" },
    });
    expect(Object.fromEntries(toHeaders(message))).toEqual({
      "Nats-Msg-Id": "orders/m%201",
      "ce-id": "m%201",
      "ce-specversion": "1.0",
      "ce-type": "toolbus.probe",
      "ce-source": "conformance",
      "ce-time": message.time,
      "toolbus-correlation-id": "call-1",
      "toolbus-reply-to": "tool.result.default",
      traceparent: "00-a",
    });
  });

  it("has U+FFFD for a lone surrogate", () => {
    const arrived = throughWire(probe("orders", "m1", { attributes: { half: "a\ud800b" } }));
    expect(arrived.attributes).toEqual({ half: "a\ufffdb" });
  });
});

describe("a message from another program", () => {
  it("has no fields if it has no headers", () => {
    expect(fromWire("orders", [], new TextEncoder().encode("hello"), "STREAM:7")).toEqual({
      id: "STREAM:7",
      topic: "orders",
      type: "",
      source: "",
      time: "",
      attributes: {},
      body: "hello",
    });
  });

  it("keeps its own message id, its own headers and the last of several values", () => {
    const headers = [
      ["Nats-Msg-Id", "their-id"],
      ["Nats-Expected-Stream", "ORDERS"],
      ["Their-Header", "one"],
      ["Their-Header", "two"],
    ] as const;
    expect(fromWire("orders", headers, BODY, "fallback")).toMatchObject({ id: "their-id", attributes: { "Their-Header": "two" } });
  });

  it("is read with its fields in capitals, as some clients write them", () => {
    const headers = [
      ["Ce-Id", "m1"],
      ["Ce-Type", "t"],
      ["Toolbus-Correlation-Id", "call-1"],
    ] as const;
    expect(fromWire("orders", headers, BODY, "fallback")).toMatchObject({ id: "m1", type: "t", correlationId: "call-1", attributes: {} });
  });

  it("keeps percent signs that encode nothing", () => {
    expect(fromWire("orders", [["Discount", "100% off"]], BODY, "fallback").attributes).toEqual({ Discount: "100% off" });
  });

  it("has a body that is not JSON if its bytes are not UTF-8", () => {
    expect(fromWire("orders", [], Uint8Array.of(0x22, 0xff, 0xc3, 0x22), "fallback").body).toBe('(not UTF-8) "\ufffd\ufffd"');
  });

  it("never makes the reader throw, whatever its headers and bytes", () => {
    const headers = fc.array(fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })));
    fc.assert(
      fc.property(headers, fc.uint8Array(), (wireHeaders, body) => {
        expect(fromWire("orders", wireHeaders, body, "fallback").topic).toBe("orders");
      }),
    );
  });
});
