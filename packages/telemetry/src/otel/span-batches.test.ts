import type { Tracer } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { type ReadableSpan, SamplingDecision, TracerProvider } from "@opentelemetry/sdk-trace";
import { describe, expect, it } from "vitest";
import type { BatchSettings } from "../settings.ts";
import { spanBatches } from "./span-batches.ts";

const HOUR_MS = 3_600_000;

describe("batches of spans", () => {
  it("are sent as soon as they are full, one after the other, with every span once and in order", async () => {
    const collector = fakeCollector();
    const batches = opened({ maxExportBatchSize: 2 }, collector);
    batches.end("a", "b", "c", "d", "e");
    expect(collector.names()).toEqual([["a", "b"]]);
    await collector.answer();
    expect(collector.names()).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  it("are sent after the delay if they do not fill up", async () => {
    const collector = fakeCollector();
    const batches = opened({ scheduledDelayMillis: 1 }, collector);
    batches.end("a", "b");
    expect(collector.names()).toEqual([]);
    await collector.asked;
    expect(collector.names()).toEqual([["a", "b"]]);
  });

  it("never hold more spans than the queue while a collector does not answer, and say how many they dropped when it answers", async () => {
    const collector = fakeCollector();
    const batches = opened({ maxExportBatchSize: 2, maxQueueSize: 4 }, collector);
    batches.end("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
    expect(batches.dropped()).toEqual([]);
    await collector.answer();
    expect(batches.dropped()).toEqual([4]);
    batches.end("k");
    await collector.answerAll(batches.shutdown());
    expect(collector.names().flat()).toEqual(["a", "b", "c", "d", "e", "f", "k"]);
    expect(batches.dropped()).toEqual([4]);
  });

  it("that a collector refuses are reported and given up, and the next one is sent", async () => {
    const collector = fakeCollector();
    const batches = opened({ maxExportBatchSize: 1 }, collector);
    batches.end("a", "b");
    const refusal = new Error("no");
    await collector.answer(refusal);
    expect(batches.failures()).toEqual([refusal]);
    expect(collector.names()).toEqual([["a"], ["b"]]);
  });

  it("are given up after their time limit, and the next one is sent", async () => {
    const collector = fakeCollector();
    const batches = opened({ maxExportBatchSize: 1, exportTimeoutMillis: 1 }, collector);
    batches.end("a", "b");
    await expect.poll(() => collector.names(), { interval: 1 }).toEqual([["a"], ["b"]]);
    expect(batches.failures()[0]).toMatchObject({ code: "timeout" });
  });

  it("are all sent when they are shut down, and later spans are not", async () => {
    const collector = fakeCollector();
    const batches = opened({ maxExportBatchSize: 2 }, collector);
    batches.end("a", "b", "c");
    const over = batches.shutdown();
    batches.end("late", "later");
    expect(collector.closed()).toBe(false);
    await collector.answerAll(over);
    expect(collector.names()).toEqual([["a", "b"], ["c"]]);
    expect(collector.closed()).toBe(true);
  });

  it("have no span of a trace that is not sampled", async () => {
    const collector = fakeCollector();
    const batches = opened({}, collector);
    batches.endUnsampled("a");
    batches.end("b");
    await collector.answerAll(batches.shutdown());
    expect(collector.names()).toEqual([["b"]]);
  });

  it("leave out and report a span that cannot be encoded, and the code that ends it goes on", async () => {
    const collector = fakeCollector();
    const batches = opened({}, collector);
    batches.end("a");
    batches.endNameless();
    batches.end("b");
    await collector.answerAll(batches.shutdown());
    expect(collector.names()).toEqual([["a", "b"]]);
    expect(batches.failures()).toEqual([expect.any(TypeError)]);
    const whole = fakeCollector();
    const others = opened({}, whole);
    others.end("a", "b");
    await whole.answerAll(others.shutdown());
    // Nothing of the span that was left out is in the request.
    expect(collector.texts()[0]?.length).toBe(whole.texts()[0]?.length);
  });

  it("have the spans of each scope together, with the resource", async () => {
    const collector = fakeCollector();
    const batches = opened({}, collector);
    batches.end("a");
    batches.endOf("another library", "x");
    batches.end("b");
    await collector.answerAll(batches.shutdown());
    expect(collector.names()).toEqual([["a", "b", "x"]]);
    expect(collector.texts()[0]).toMatch(/service\.name.*toolbus.*a.*b.*service\.name.*another library.*x/s);
  });
});

function opened(batches: BatchSettings, collector: ReturnType<typeof fakeCollector>) {
  const failures: unknown[] = [];
  const dropped: number[] = [];
  const processor = spanBatches({
    batches: { scheduledDelayMillis: HOUR_MS, exportTimeoutMillis: HOUR_MS, ...batches },
    send: collector.send,
    close: collector.close,
    onFailed: (error) => failures.push(error),
    onDropped: (spans) => dropped.push(spans),
  });
  const resource = resourceFromAttributes({ "service.name": "toolbus" });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const unsampled = new TracerProvider({
    resource,
    spanProcessors: [processor],
    sampler: { shouldSample: () => ({ decision: SamplingDecision.RECORD }), toString: () => "recorded and not sampled" },
  });
  const endAll = (tracer: Tracer, names: readonly string[]): void => {
    for (const name of names) tracer.startSpan(named(name), { root: true }).end();
  };
  return {
    end: (...names: readonly string[]) => endAll(provider.getTracer("toolbus"), names),
    endOf: (scope: string, ...names: readonly string[]) => endAll(provider.getTracer(scope), names),
    endUnsampled: (...names: readonly string[]) => endAll(unsampled.getTracer("toolbus"), names),
    endNameless: () =>
      provider
        .getTracer("toolbus")
        .startSpan(undefined as unknown as string, { attributes: { a: 1 } })
        .end(),
    shutdown: () => processor.shutdown(),
    failures: () => failures,
    dropped: () => dropped,
  };
}

/** Returns a span's name that can be found in the bytes of a request. */
function named(name: ReadableSpan["name"]): string {
  return `<${name}>`;
}

/** Returns a collector that answers when the test says so. */
function fakeCollector() {
  const requests: Uint8Array[] = [];
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let waiting: PromiseWithResolvers<void> | null = null;
  let closed = false;
  const texts = (): readonly string[] => requests.map((body) => Buffer.from(body).toString("latin1"));
  /** Answers the request that waits, and lets the batches go on. */
  const answer = async (refusal?: Error): Promise<void> => {
    const answered = waiting;
    waiting = null;
    if (refusal) answered?.reject(refusal);
    else answered?.resolve();
    await new Promise(setImmediate);
  };
  return {
    asked,
    send(body: Uint8Array): Promise<void> {
      requests.push(body);
      waiting = Promise.withResolvers();
      resolve();
      return waiting.promise;
    },
    close: async () => void (closed = true),
    closed: () => closed,
    texts,
    names: () => texts().map((text) => [...text.matchAll(/<(\w+)>/g)].map(([, name]) => name)),
    answer,
    async answerAll(until: Promise<void>): Promise<void> {
      let over = false;
      const ended = until.finally(() => (over = true));
      while (!over) await answer();
      await ended;
    },
  };
}
