import { describe, expect, it } from "vitest";
import { carrierOf, readCarrier } from "./trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const VALID = `00-${TRACE}-${SPAN}-01`;

describe("trace context", () => {
  it("is read from what a message carries and written unchanged", () => {
    const carrier = { traceparent: VALID, tracestate: "vendor=1,other=2", baggage: "tenant=a" };
    expect(readCarrier(carrier)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      sampled: true,
      tracestate: "vendor=1,other=2",
      baggage: "tenant=a",
    });
    expect(carrierOf(readCarrier(carrier) ?? never())).toEqual(carrier);
  });

  it("is read again as it was, whatever was read in between, and does not lend its parts to another", () => {
    const others = Array.from({ length: 9 }, (_, n) => `00-${TRACE}-${n + 1}${SPAN.slice(1)}-0${n % 2}`);
    for (const traceparent of [VALID, ...others, VALID, ...others, VALID, VALID])
      expect(readCarrier({ traceparent })).toEqual({
        traceId: TRACE,
        spanId: traceparent.slice(36, 52),
        sampled: traceparent.endsWith("1"),
        tracestate: undefined,
        baggage: undefined,
      });
    expect(readCarrier({ traceparent: VALID, tracestate: "vendor=1" })).toMatchObject({ tracestate: "vendor=1" });
    expect(readCarrier({ traceparent: VALID })).toMatchObject({ tracestate: undefined });
  });

  it("remembers that a trace is not sampled", () => {
    const point = readCarrier({ traceparent: `00-${TRACE}-${SPAN}-00` });
    expect(point?.sampled).toBe(false);
    expect(carrierOf(point ?? never())).toEqual({ traceparent: `00-${TRACE}-${SPAN}-00` });
  });

  it.each([
    ["nothing", undefined],
    ["empty text", ""],
    ["a forbidden version", `ff-${TRACE}-${SPAN}-01`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["capitals", VALID.toUpperCase()],
    ["a short trace id", `00-${TRACE.slice(1)}-${SPAN}-01`],
    ["more fields than its version has", `${VALID}-more`],
    ["two headers", `${VALID},${VALID}`],
  ])("of %s is invalid", (_, traceparent) => {
    expect(readCarrier({ traceparent })).toBeNull();
  });

  it("of a later version is read as far as it is known", () => {
    expect(readCarrier({ traceparent: `01-${TRACE}-${SPAN}-01-more` })).toMatchObject({ traceId: TRACE, sampled: true });
  });

  it.each([
    ["too long", { tracestate: `a=${"b".repeat(600)}`, baggage: `a=${"b".repeat(1100)}` }],
    ["not plain text", { tracestate: "a=\u0001", baggage: "a=ü" }],
  ])("omits state and baggage that are %s", (_, more) => {
    expect(readCarrier({ traceparent: VALID, ...more })).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
  });
});

function never(): never {
  throw new Error("There is no trace context.");
}
