import { type Link, type Span, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { describe, expect, it } from "vitest";
import type { AttributePairs } from "../attribute-pairs.ts";
import { OwnSpan } from "./own-span.ts";

const POINT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", sampled: true };
const LINK: Link = {
  context: { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: TraceFlags.SAMPLED },
  attributes: { why: "x" },
};
const RESOURCE = resourceFromAttributes({ "service.name": "toolbus" });

describe("a span of ours", () => {
  it.each<[string, (span: Span) => unknown]>([
    ["attributes", (span) => span.setAttribute("a", 1).setAttributes({ a: 2, b: "x", c: [true], d: { e: 1 } })],
    ["attributes that are not valid", (span) => span.setAttributes({ "": 1, no: (() => 1) as never, none: undefined, yes: 1 })],
    [
      "more attributes than the limit",
      (span) => span.setAttributes(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`a${n}`, n]))),
    ],
    ["events", (span) => span.addEvent("one").addEvent("two", { n: 1 }).addEvent("three", [5, 6]).addEvent("four", { n: 2 }, [7, 8])],
    ["more events than the limit", (span) => Array.from({ length: 130 }, (_, n) => span.addEvent(`e${n}`, [n, 0]))],
    ["links", (span) => span.addLink(LINK).addLinks([LINK, LINK])],
    ["more links than the limit", (span) => span.addLinks(Array.from({ length: 130 }, () => LINK))],
    ["an error", (span) => span.setStatus({ code: SpanStatusCode.ERROR, message: "no" })],
    [
      "a status that is final",
      (span) => span.setStatus({ code: SpanStatusCode.OK, message: "x" }).setStatus({ code: SpanStatusCode.ERROR }),
    ],
    ["no status", (span) => span.setStatus({ code: SpanStatusCode.UNSET })],
    ["another name", (span) => span.updateName("other")],
    ["exceptions", (span) => [span.recordException("text", 1), span.recordException({ name: "E", code: 7, message: "m", stack: "s" }, 1)]],
    ["something after its end", (span) => [span.end(), span.setAttribute("late", 1).addEvent("late").addLink(LINK).updateName("late")]],
  ])("has what the SDK's own span has after a tool gave it %s", (_, change) => {
    const [ours, theirs] = [own(), sdks()];
    change(ours.span);
    change(theirs.span);
    ours.span.end();
    theirs.span.end();
    expect(ours.ended()).toHaveLength(1);
    expect(ours.ended().map(without)).toEqual(theirs.ended().map(without));
  });

  it("has the same attributes whether or not somebody asks for them between two changes", () => {
    const [asked, not] = [own(), own()];
    for (const { span } of [asked, not]) {
      span.set(["a", 1, "b", "x"]);
      if (span === asked.span) expect([span.pairs, span.attributes, span.pairs]).toEqual([["a", 1, "b", "x"], { a: 1, b: "x" }, null]);
      span.set(["b", "y", "c", true]);
      span.end();
      span.set(["late", 1]);
    }
    expect(not.span.pairs).toEqual(["a", 1, "b", "y", "c", true]);
    expect([asked, not].map(({ span }) => span.attributes)).toEqual([
      { a: 1, b: "y", c: true },
      { a: 1, b: "y", c: true },
    ]);
  });

  it.each<[string, (span: OwnSpan) => void]>([
    ["are shared only", (span) => span.share(["b", 2, "c", 3])],
    ["are its own and come later", (span) => [span.share(["c", 3]), span.set(["b", 2])]],
    ["are its own and come earlier", (span) => [span.set(["b", 1, "c", 0]), span.share(["b", 2, "c", 3])]],
    ["are its own, between two that are shared", (span) => [span.share(["b", 0]), span.set(["b", 1]), span.share(["b", 2, "c", 3])]],
    ["are shared, after somebody has asked for them", (span) => [span.attributes, span.share(["b", 2, "c", 3])]],
    ["are its own, after its end", (span) => [span.share(["b", 2, "c", 3]), span.end(), span.share(["b", 4]), span.set(["b", 5])]],
  ])("has the last value of attributes that %s, once", (_, change) => {
    const shared = ["a", 1, "b", 1] as const;
    const { span } = own(true, shared);
    expect(span.shared).toBe(shared);
    change(span);
    const names = [...span.shared, ...(span.pairs ?? [])].filter((_value, at) => at % 2 === 0);
    expect(names).toHaveLength(new Set(names).size);
    expect(span.attributes).toEqual({ a: 1, b: 2, c: 3 });
    expect(shared).toEqual(["a", 1, "b", 1]);
  });

  it("lasts from its start to its end, by a clock that never jumps", () => {
    const before = Date.now();
    const { span, ended } = own();
    span.end();
    const [{ startTime, endTime, duration } = raise()] = ended();
    expect(startTime[0] * 1000 + startTime[1] / 1_000_000).toBeGreaterThanOrEqual(before);
    const nanoseconds = (time: readonly [number, number]): bigint => BigInt(time[0]) * 1_000_000_000n + BigInt(time[1]);
    expect(nanoseconds(endTime) - nanoseconds(startTime)).toBe(nanoseconds(duration));
    expect(nanoseconds(duration)).toBeGreaterThan(0n);
  });

  it("ends at the time that was given", () => {
    const { span, ended } = own();
    span.end([4_000_000_000, 5]);
    expect(ended()[0]?.endTime).toEqual([4_000_000_000, 5]);
  });

  it("of a trace that is not sampled records nothing and reaches no exporter", () => {
    const { span, ended } = own(false);
    expect([span.isRecording(), span.spanContext().traceFlags]).toEqual([false, TraceFlags.NONE]);
    span.setAttribute("a", 1).addEvent("e").end();
    expect([ended(), span.attributes, span.events]).toEqual([[], {}, []]);
  });
});

function own(sampled = true, shared: AttributePairs = []) {
  const ended: ReadableSpan[] = [];
  const done = async (): Promise<void> => undefined;
  const processor = { onStart: () => undefined, onEnd: (span: ReadableSpan) => void ended.push(span), forceFlush: done, shutdown: done };
  const home = { resource: RESOURCE, scope: { name: "toolbus" }, processors: [processor] };
  const span = new OwnSpan(home, "work", SpanKind.CLIENT, { ...POINT, sampled }, null, shared, [], []);
  return { span, ended: () => ended };
}

function sdks() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ resource: RESOURCE, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return { span: provider.getTracer("toolbus").startSpan("work", { kind: SpanKind.CLIENT }), ended: () => exporter.getFinishedSpans() };
}

/** Returns what an exporter reads, without ids and the times of the clock. */
function without(span: ReadableSpan) {
  const { name, kind, attributes, links, status, ended, resource, droppedAttributesCount, droppedEventsCount, droppedLinksCount } = span;
  const events = span.events.map(({ time, ...event }) => ({ ...event, given: time[0] < 1_000_000_000 ? time : null }));
  const dropped = [droppedAttributesCount, droppedEventsCount, droppedLinksCount];
  return { name, kind, attributes, links, status, ended, resource, events, dropped, scope: span.instrumentationScope.name };
}

function raise(): never {
  throw new Error("no span ended");
}
