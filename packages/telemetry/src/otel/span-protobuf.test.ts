import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { describe, expect, it } from "vitest";
import { OwnSpan } from "./own-span.ts";
import { protobufSink } from "./protobuf-sink.ts";
import { exportRequest, writeSpan } from "./span-protobuf.ts";

const PARENT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: TraceFlags.SAMPLED };

describe("the protobuf of spans", () => {
  it.each<[string, Attributes]>([
    ["no attributes", {}],
    ["texts", { a: "", b: "x", c: "y".repeat(90), d: "z".repeat(127), e: "w".repeat(128), f: "v".repeat(512), g: "u".repeat(70_000) }],
    ["texts that are not ASCII", { é: "ü", emoji: "🎯".repeat(40), lone: "\ud800", mixed: `${"a".repeat(60)}é` }],
    ["numbers", { zero: 0, one: 1, large: 2 ** 40, safe: Number.MAX_SAFE_INTEGER, minus: -1, least: -(2 ** 62), half: 0.5, huge: 1e300 }],
    ["other numbers", { nan: Number.NaN, infinite: Number.POSITIVE_INFINITY, negative: -0, short: 127, long: 128, word: 2 ** 31 }],
    ["truths", { yes: true, no: false }],
    ["lists", { texts: ["a", "é"], numbers: [1, 2.5, -3], truths: [true, false], none: [], long: Array.from({ length: 300 }, String) }],
    ["structures", { bytes: new Uint8Array([1, 2, 255]), inner: { a: { b: ["c", 1] }, long: "x".repeat(300) } }],
  ])("is that of the SDK for %s", (_, attributes) => {
    const spans = recorded((tracer) => {
      // The second span has the same values, of which the writer has kept some.
      for (const name of ["first", "second"]) tracer.startSpan(name, { attributes }).end();
    });
    expectSame(spans);
  });

  it("is that of the SDK for kinds, parents, links, events, states and statuses, and for the times of every nanosecond", () => {
    const spans = recorded((tracer) => {
      const traceState = new TraceState("vendor=1");
      for (const kind of [SpanKind.INTERNAL, SpanKind.SERVER, SpanKind.CLIENT, SpanKind.PRODUCER, SpanKind.CONSUMER])
        for (const isRemote of [true, false]) {
          const parent = trace.setSpanContext(ROOT_CONTEXT, { ...PARENT, isRemote, traceState });
          const links = [{ context: PARENT }, { context: { ...PARENT, traceState, isRemote }, attributes: { why: "x".repeat(200) } }];
          const span = tracer.startSpan(`of ${kind}`, { kind, links, startTime: [1_800_000_000 + kind, 999_999_999] }, parent);
          span.addEvent("happened", { n: 1 }).addEvent("happened again");
          span.setStatus({ code: SpanStatusCode.ERROR, message: "x".repeat(200) });
          span.end([1_800_000_001 + kind, kind]);
        }
      tracer
        .startSpan("well", { startTime: [0, 1] })
        .setStatus({ code: SpanStatusCode.OK })
        .end([4_294_967_295, 999_999_999]);
    });
    expectSame(spans);
  });

  it("is that of the SDK for so many spans that the bytes outgrow their buffer, and for values that never recur", () => {
    const spans = recorded((tracer) => {
      for (let n = 0; n < 3000; n++) tracer.startSpan(`work ${n}`, { attributes: { id: `rn_${n}`, topic: "work", n } }).end();
    });
    expectSame(spans);
  });

  it("is that of the SDK for spans of ours, whose attributes are a list", () => {
    const home = { resource: resourceFromAttributes({ "service.name": "toolbus" }), scope: { name: "toolbus" }, processors: [] };
    const point = { ...PARENT, sampled: true };
    const spans = ["first", "second"].map((name) => {
      const span = new OwnSpan(
        home,
        name,
        SpanKind.INTERNAL,
        point,
        null,
        [],
        ["topic", "work", "n", 1, "list", ["a", "b"], "yes", true],
        [],
      );
      span.set(["topic", "other", "late", "x".repeat(200)]);
      span.event("said", ["what", "é"]);
      span.end();
      return span;
    });
    expect(spans.map(({ pairs }) => pairs?.length)).toEqual([10, 10]);
    expectSame(spans);
    expect(spans.map(({ pairs }) => pairs)).toEqual([null, null]);
  });

  it("is that of the SDK for spans of ours that share a list of attributes", () => {
    const home = { resource: resourceFromAttributes({ "service.name": "toolbus" }), scope: { name: "toolbus" }, processors: [] };
    const shared = ["topic", "work", "long", "x".repeat(20_000), "list", ["a", "b"]] as const;
    const spans = ["first", "second", "third"].map((name, n) => {
      const span = new OwnSpan(home, name, SpanKind.INTERNAL, { ...PARENT, sampled: true }, null, shared, ["n", n], []);
      if (n === 2) span.share(["more", true]);
      span.end();
      return span;
    });
    expect(spans.map((span) => span.shared.length)).toEqual([6, 6, 8]);
    expectSame(spans);
  });

  it("of a request names each scope with the resource of its spans", () => {
    const one = part(recorded((tracer) => tracer.startSpan("one").end()));
    const other = part(recorded((tracer) => tracer.startSpan("other").end()));
    expect(exportRequest([one, other])).toEqual(Buffer.concat([exportRequest([one]), exportRequest([other])]));
  });
});

function expectSame(spans: readonly ReadableSpan[]): void {
  // The SDK asks for the attributes as an object, after which our spans have no other form of them.
  const ours = exportRequest([part(spans)]);
  const expected = ProtobufTraceSerializer.serializeRequest([...spans]);
  expect(Buffer.compare(ours, expected ?? new Uint8Array())).toBe(0);
  expect(expected?.length).toBeGreaterThan(100);
}

function part(spans: readonly ReadableSpan[]) {
  const [{ resource, instrumentationScope: scope } = raise()] = spans;
  const to = protobufSink();
  for (const span of spans) writeSpan(to, span);
  return { resource, scope, spans: to };
}

function raise(): never {
  throw new Error("nothing was recorded");
}

/** Returns the spans that the SDK has recorded. */
function recorded(work: (tracer: ReturnType<TracerProvider["getTracer"]>) => void): readonly ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  const resource = resourceFromAttributes({ "service.name": "toolbus", "service.instance.id": "k".repeat(22) });
  const provider = new TracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  work(provider.getTracer("toolbus", "1.2"));
  return exporter.getFinishedSpans();
}
