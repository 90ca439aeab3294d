import { context, ROOT_CONTEXT, type Span, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setRecorder } from "../recorder.ts";
import type { SamplerSettings } from "../settings.ts";
import { currentTraceparent, withinReceived, withSpan } from "../spans.ts";
import { OwnContext } from "./own-context.ts";
import { ownSpans } from "./own-spans.ts";
import { spanIds } from "./span-ids.ts";

const REQUEST = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
const ALWAYS: SamplerSettings = { root: "always_on", ratio: 1, parentBased: true };

let exporter: InMemorySpanExporter;
let provider: TracerProvider;
beforeEach(() => {
  exporter = new InMemorySpanExporter();
  provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new OwnContext());
  record(ALWAYS);
});
afterEach(() => {
  setRecorder(null);
  trace.disable();
  context.disable();
});

describe("spans of ours, for other users of OpenTelemetry's API in the process", () => {
  it("are the active spans, across awaits, and the parents of a tool's spans", async () => {
    await withSpan("outer", {}, async () => {
      await Promise.resolve();
      await withSpan("call", {}, async () => {
        await Promise.resolve();
        trace.getActiveSpan()?.setAttribute("by", "a tool");
        trace.getTracer("a tool").startSpan("step").end();
      });
      trace.getTracer("a tool").startSpan("after").end();
    });
    expect(parents()).toEqual({ step: "call", call: "outer", after: "outer", outer: null });
    expect(exporter.getFinishedSpans().find(({ name }) => name === "call")?.attributes).toEqual({ by: "a tool" });
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it("stay where they are beneath what a tool makes active, and keep what it put into its context", async () => {
    const key = Symbol("a tool's");
    await withSpan("call", {}, () =>
      trace.getTracer("a tool").startActiveSpan("step", (step) =>
        context.with(context.active().setValue(key, "kept"), async () => {
          expect(trace.getActiveSpan()).toBe(step);
          await withSpan("inner", {}, async () => {
            expect(context.active().getValue(key)).toBe("kept");
            trace.getTracer("a tool").startSpan("leaf").end();
          });
          expect(trace.getActiveSpan()).toBe(step);
          step.end();
        }),
      ),
    );
    expect(parents()).toEqual({ leaf: "inner", inner: "call", step: "call", call: null });
  });

  it("are not the parents of spans in the trace of a message", async () => {
    await withSpan("publisher", {}, async () =>
      withinReceived({ traceparent: REQUEST }, () => expect([currentTraceparent(), trace.getActiveSpan()]).toEqual([REQUEST, undefined])),
    );
  });

  it("are active again in functions and emitters that are bound to them, and where a context is attached", async () => {
    const emitter = new EventEmitter();
    const names: (string | undefined)[] = [];
    const note = (): void => void names.push(nameOf(trace.getActiveSpan()));
    const { bound, active } = await withSpan("call", {}, async () => {
      context.bind(context.active(), emitter).on("said", note);
      return { bound: context.bind(context.active(), note), active: context.active() };
    });
    note();
    bound();
    emitter.emit("said");
    const attached = context.attach(active);
    note();
    attached.dispose();
    note();
    expect(names).toEqual([undefined, "call", "call", "call", undefined]);
  });
});

describe("the place of a span of ours", () => {
  it("is beneath the span that another instrumentation made for the same request, and not beneath one for another request", async () => {
    const remote = trace.setSpanContext(ROOT_CONTEXT, { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: TraceFlags.SAMPLED });
    const server = trace.getTracer("an instrumentation").startSpan("their request", { kind: SpanKind.SERVER }, remote);
    const received = (traceparent: string) => ({ parent: { how: "received", carrier: { traceparent } } }) as const;
    await context.with(trace.setSpan(remote, server), async () => {
      await withSpan("our request", received(REQUEST), async () => undefined);
      await withSpan("another request", received(REQUEST.replace("bb", "cc")), async () => undefined);
    });
    server.end();
    expect(parents()).toMatchObject({ "our request": "their request", "another request": REQUEST.replace("bb", "cc").slice(36, 52) });
  });

  it("passes on the state of other vendors, and exporters get it", async () => {
    const carrier = { traceparent: REQUEST, tracestate: "vendor=1" };
    await withSpan("work", { parent: { how: "received", carrier } }, async () => undefined);
    const [span] = exporter.getFinishedSpans();
    expect(span?.spanContext().traceState?.serialize()).toBe("vendor=1");
    expect(span?.parentSpanContext?.traceState?.serialize()).toBe("vendor=1");
  });

  it("has a link to the active span where it continues another trace", async () => {
    await withSpan("active", {}, () =>
      withSpan("continued", { parent: { how: "continued", carrier: { traceparent: REQUEST } } }, async () => undefined),
    );
    const [continued, active] = exporter.getFinishedSpans();
    expect(continued?.links.map((link) => link.context.spanId)).toEqual([active?.spanContext().spanId]);
  });
});

describe("the sampling of spans of ours", () => {
  const SAMPLED = REQUEST;
  const UNSAMPLED = REQUEST.replace(/01$/, "00");
  it.each<[string, SamplerSettings, string | undefined, boolean]>([
    ["at the root", { root: "always_on", ratio: 1, parentBased: true }, undefined, true],
    ["at the root, never", { root: "always_off", ratio: 1, parentBased: true }, undefined, false],
    ["as the parent says", { root: "always_off", ratio: 1, parentBased: true }, SAMPLED, true],
    ["as the parent says, never", { root: "always_on", ratio: 1, parentBased: true }, UNSAMPLED, false],
    ["whatever the parent says", { root: "always_on", ratio: 1, parentBased: false }, UNSAMPLED, true],
    ["whatever the parent says, never", { root: "always_off", ratio: 1, parentBased: false }, SAMPLED, false],
    ["by all of a ratio", { root: "traceidratio", ratio: 1, parentBased: true }, undefined, true],
    ["by nothing of a ratio", { root: "traceidratio", ratio: 0, parentBased: true }, undefined, false],
  ])("is decided %s", async (_, sampler, traceparent, sampled) => {
    record(sampler);
    const parent = { how: "received", carrier: { traceparent } } as const;
    await withSpan("work", { parent }, async (span) => {
      expect(span.recording).toBe(sampled);
      expect(currentTraceparent()).toMatch(sampled ? /-01$/ : /-00$/);
      await withSpan("inner", {}, async (inner) => expect(inner.recording).toBe(sampled));
    });
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(sampled ? ["inner", "work"] : []);
  });

  it("by a ratio is the SDK's, by the id of the trace", async () => {
    const ids = { trace: () => `${"0".repeat(8)}${"f".repeat(24)}`, span: () => "1".repeat(16) };
    record({ root: "traceidratio", ratio: 0.5, parentBased: true }, ids);
    await withSpan("kept", {}, async (span) => expect(span.recording).toBe(false));
  });
});

function record(sampler: SamplerSettings, ids = spanIds((bytes) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))))): void {
  const processors = [new SimpleSpanProcessor({ exporter })];
  const spans = ownSpans({ resource: resourceFromAttributes({}), scope: { name: "toolbus" }, processors, sampler, ids });
  setRecorder({ spans, measurements: null, logs: null, audit: null });
}

/** Returns the name of each span's parent, or its id if nobody recorded it. */
function parents(): Readonly<Record<string, string | null>> {
  const finished = exporter.getFinishedSpans();
  const called = (id: string) => finished.find((span) => span.spanContext().spanId === id)?.name ?? id;
  return Object.fromEntries(finished.map(({ name, parentSpanContext: above }) => [name, above ? called(above.spanId) : null]));
}

function nameOf(span: Span | undefined): string | undefined {
  return (span as { readonly name?: string } | undefined)?.name;
}
