import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attributesOf, haveCommonName } from "./attribute-pairs.ts";
import { type RecordedSpan, setRecorder, type SpanStart } from "./recorder.ts";
import { currentCarrier, currentTraceparent, errorType, openSpan, spanEvent, withDeliverySpan, withinReceived, withSpan } from "./spans.ts";

const CLIENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const OTHER = "00-1111111111111111aaaaaaaaaaaaaaaa-2222222222222222-01";

describe("while telemetry is off", () => {
  it("work runs, its value and its error are returned, and there is no trace", async () => {
    expect(await withSpan("work", {}, async (span) => [span.recording, currentTraceparent()])).toEqual([false, undefined]);
    await expect(withSpan("work", {}, () => Promise.reject(new RangeError("no")))).rejects.toThrow("no");
  });

  it("the trace context of a request is passed on unchanged, and does not leak outside", async () => {
    const carrier = { traceparent: CLIENT, tracestate: "vendor=1", baggage: "tenant=a" };
    const within = await withSpan("work", { parent: { how: "received", carrier } }, async () => {
      await Promise.resolve();
      return withSpan("inner", {}, async () => currentCarrier());
    });
    expect(within).toEqual(carrier);
    expect(currentCarrier()).toBeUndefined();
  });

  it("what a message without trace context starts is in no trace, whoever delivers it", () => {
    const seen = withinReceived({ traceparent: CLIENT }, () => withinReceived({}, () => currentTraceparent()));
    expect(seen).toBeUndefined();
  });
});

describe("a span", () => {
  let recorded: ReturnType<typeof fakeRecorder>;
  beforeEach(() => {
    recorded = fakeRecorder();
    setRecorder({ spans: recorded.spans, measurements: null, logs: null, audit: null });
  });
  afterEach(() => setRecorder(null));

  it("is beneath the active span, across awaits, and inherits its attributes", async () => {
    await withSpan("outer", { inherited: { "toolbus.service": "agent" } }, async () => {
      await Promise.resolve();
      await withSpan("inner", { kind: "client", attributes: { n: 1 } }, async () => undefined);
    });
    const [outer, inner] = recorded.all();
    expect(inner?.start).toMatchObject({
      kind: "client",
      parent: outer?.point,
      attributes: { "toolbus.service": "agent", n: 1 },
      links: [],
    });
    expect(recorded.all().map(({ ended }) => ended)).toEqual([true, true]);
  });

  it("has shared attributes, unless its own or inherited ones have the same name", async () => {
    const shared = { topic: "work", n: 0 };
    await withSpan("one", { shared, attributes: { id: "x" } }, async () => undefined);
    await withSpan("two", { shared, attributes: { n: 2 }, inherited: { "toolbus.service": "agent" } }, async () => undefined);
    await withSpan("delivery", { kind: "consumer", shared }, () => withDeliverySpan("call", { shared: { n: 3 } }, async () => undefined));
    const [one, two, delivery] = recorded.all();
    expect(one?.start.attributes).toEqual({ topic: "work", n: 0, id: "x" });
    expect(two?.start.attributes).toEqual({ topic: "work", n: 2, "toolbus.service": "agent" });
    expect(delivery).toMatchObject({ name: "call", start: { attributes: shared }, attributes: { n: 3 } });
  });

  it("that was received belongs to the trace of the message, not to the delivering code", async () => {
    await withSpan("publisher", { inherited: { "toolbus.service": "gateway" } }, () =>
      withSpan("consumer", { parent: { how: "received", carrier: { traceparent: CLIENT } } }, async () => undefined),
    );
    expect(recorded.all()[1]?.start).toMatchObject({ parent: { spanId: "b7ad6b7169203331" }, links: [], attributes: {} });
  });

  it("that continues a stored trace is beneath it, and linked to the active span", async () => {
    await withSpan("active", {}, () =>
      withSpan("continued", { parent: { how: "continued", carrier: { traceparent: CLIENT } } }, async () => undefined),
    );
    const [active, continued] = recorded.all();
    expect(continued?.start).toMatchObject({ parent: { spanId: "b7ad6b7169203331" }, links: [active?.point] });
  });

  it.each([
    { stored: "the same trace", traceparent: "same", parent: "active", linked: false },
    { stored: "another trace", traceparent: OTHER, parent: "stored", linked: true },
    { stored: "nothing", traceparent: undefined, parent: "active", linked: false },
  ])("that is made where $stored was stored is beneath $parent", async ({ traceparent, parent, linked }) => {
    await withSpan("active", {}, () => {
      const carrier = { traceparent: traceparent === "same" ? sibling(recorded.all()[0]?.point.traceId ?? "") : traceparent };
      return withSpan("made", { parent: { how: "made", carrier } }, async () => undefined);
    });
    const [active, made] = recorded.all();
    expect(made?.start.parent?.spanId).toBe(parent === "active" ? active?.point.spanId : "2222222222222222");
    expect(made?.start.links).toEqual(linked ? [active?.point] : []);
  });

  it("fails with the code of a thrown error, never with its message", async () => {
    const error = Object.assign(new Error("the password is hunter2"), { code: "E_NO" });
    await expect(withSpan("work", {}, () => Promise.reject(error))).rejects.toBe(error);
    expect(recorded.all()[0]).toMatchObject({ failed: true, attributes: { "error.type": "E_NO" } });
    expect(JSON.stringify(recorded.all())).not.toContain("hunter2");
  });

  it("keeps no text that looks like a credential, and no long one", async () => {
    const secret = "Bearer abcdefgh12345678";
    await withSpan(
      `work ${secret}`,
      { inherited: { i: secret }, attributes: { a: `x ${secret}`, b: [secret], c: "y".repeat(5000) } },
      async (span) => {
        await withSpan("inner", { inherited: { j: secret } }, async () => undefined);
        span.set({ later: secret });
        span.event("said", { what: secret });
        spanEvent("said too", { what: secret });
      },
    );
    expect(JSON.stringify(recorded.all())).not.toContain("12345678");
    expect(String(recorded.all()[0]?.start.attributes["c"])).toHaveLength(512);
    expect(recorded.all()[0]?.events).toEqual([
      ["said", { what: "[redacted]" }],
      ["said too", { what: "[redacted]" }],
    ]);
  });

  it("of a delivery becomes the span of the work that the message asks for, with another name and more attributes", async () => {
    const received = { kind: "consumer", attributes: { n: 1 }, parent: { how: "received", carrier: { traceparent: CLIENT } } } as const;
    const made = { attributes: { what: "Bearer abcdefgh12345678" }, parent: { how: "made", carrier: { traceparent: CLIENT } } } as const;
    await withSpan("process", received, async (delivery) => {
      const value = await withDeliverySpan("work Bearer abcdefgh12345678", made, async (span) => {
        await Promise.resolve();
        span.set({ status: "ok" });
        return "done";
      });
      expect([value, delivery.failed, recorded.all()[0]?.ended]).toEqual(["done", false, false]);
    });
    expect(recorded.all()).toHaveLength(1);
    expect(recorded.all()[0]).toMatchObject({
      name: "work [redacted]",
      start: { attributes: { n: 1 }, parent: { spanId: "b7ad6b7169203331" } },
      attributes: { what: "[redacted]", status: "ok" },
      ended: true,
      failed: false,
    });
  });

  it("of a delivery is failed by the error of the work, also if its handler goes on", async () => {
    await withSpan("process", { kind: "consumer" }, async (delivery) => {
      const error = Object.assign(new Error("hunter2"), { code: "E_NO" });
      await expect(withDeliverySpan("work", {}, () => Promise.reject(error))).rejects.toBe(error);
      expect(delivery.failed).toBe(true);
    });
    expect(recorded.all()[0]).toMatchObject({ failed: true, attributes: { "error.type": "E_NO" } });
  });

  it("is one of its own for work that no delivery brought, or that runs beneath another span of the delivery", async () => {
    await withDeliverySpan("alone", { kind: "client" }, async () => undefined);
    await withSpan("process", { kind: "consumer" }, () => withSpan("step", {}, () => withDeliverySpan("inner", {}, async () => undefined)));
    expect(recorded.all().map(({ name }) => name)).toEqual(["alone", "process", "step", "inner"]);
    expect(recorded.all()[3]?.start.parent).toEqual(recorded.all()[2]?.point);
  });

  it("that its owner ends runs work as part of it and stays open until then", () => {
    const span = openSpan("request", { kind: "server", parent: { how: "received", carrier: {} } });
    expect(span.run(() => currentTraceparent())).toContain(recorded.all()[0]?.point.traceId);
    expect(recorded.all()[0]?.ended).toBe(false);
    span.end();
    expect(recorded.all()[0]).toMatchObject({ ended: true, failed: false, start: { parent: null } });
  });

  it("passes on the state and the baggage of its caller", async () => {
    const carrier = { traceparent: CLIENT, tracestate: "vendor=1", baggage: "tenant=a" };
    const made = await withSpan("work", { parent: { how: "received", carrier } }, async () => currentCarrier());
    expect(made).toMatchObject({ tracestate: "vendor=1", baggage: "tenant=a" });
  });
});

describe("the type of an error", () => {
  it.each([
    [Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
    [new TypeError("x"), "TypeError"],
    [Object.assign(new Error("x"), { code: "words that may be anything" }), "Error"],
    ["a text", "string"],
  ])("of %s is %s", (error, type) => {
    expect(errorType(error)).toBe(type);
  });
});

/** Returns another position in this trace. */
function sibling(traceId: string): string {
  return `00-${traceId}-3333333333333333-01`;
}

interface FakeSpan {
  name: string;
  readonly start: Omit<SpanStart, "attributes"> & { readonly attributes: Record<string, unknown> };
  readonly point: RecordedSpan["point"];
  readonly attributes: Record<string, unknown>;
  readonly events: [string, object][];
  ended: boolean;
  failed: boolean;
}

/** Returns a recorder that keeps its spans and numbers their ids. */
function fakeRecorder() {
  const spans: FakeSpan[] = [];
  return {
    all: () => spans,
    spans: {
      start(name: string, given: SpanStart): RecordedSpan {
        expect(haveCommonName(given.shared, given.attributes)).toBe(false);
        const start = { ...given, attributes: attributesOf([...given.shared, ...given.attributes]) };
        const n = (spans.length + 1).toString(16);
        const point = {
          traceId: start.parent?.traceId ?? n.padStart(32, "f"),
          spanId: n.padStart(16, "e"),
          sampled: true,
          tracestate: start.parent?.tracestate,
          baggage: start.parent?.baggage,
        };
        const span: FakeSpan = { name, start, point, attributes: {}, events: [], ended: false, failed: false };
        spans.push(span);
        return {
          point,
          recording: true,
          rename: (other) => void (span.name = other),
          share: (attributes) => void Object.assign(span.attributes, attributesOf(attributes)),
          set: (attributes) => void Object.assign(span.attributes, attributesOf(attributes)),
          event: (event, attributes) => void span.events.push([event, attributesOf(attributes)]),
          run: (work) => work(),
          fail: () => void (span.failed = true),
          end: () => void (span.ended = true),
        };
      },
    },
  };
}
