import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Delivery, type Disposition, memoryBus } from "@toolbus/bus";
import { type Json, type Message, message } from "@toolbus/contracts";
import { memoryStore } from "@toolbus/state";
import { currentTraceparent, silentLog, startTelemetry, withDeliverySpan, withSpan } from "@toolbus/telemetry";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startOutbox } from "./outbox.ts";
import { messagingSystem, tracedBus } from "./traced-bus.ts";

const CLIENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const CLIENT_TRACE = CLIENT.slice(3, 35);
const ACK: Disposition = { kind: "ack" };

describe("a bus while telemetry is off", () => {
  it("carries the trace context of the request that a message was made for, and adds none otherwise", async () => {
    await using bus = openBus();
    const { take, taken } = collector(2);
    await bus.consume("work", take, { concurrency: 1 });
    await bus.publish(aMessage("without"));
    await inTraceOf(CLIENT, () => bus.publish(aMessage("within")));
    const [first, second] = await taken;
    expect(first?.message.attributes).toEqual({});
    expect(second?.message.attributes).toEqual({ traceparent: CLIENT });
    expect([first?.seen, second?.seen]).toEqual([undefined, CLIENT]);
  });

  it("also gives announcements and their listeners the trace", async () => {
    await using bus = openBus();
    const heard = Promise.withResolvers<string | undefined>();
    await bus.listen("news", () => heard.resolve(currentTraceparent()));
    await inTraceOf(CLIENT, () => bus.announce({ ...aMessage("news"), topic: "news" }));
    expect(await heard.promise).toBe(CLIENT);
  });

  it("reports why it is not ready, like the underlying bus", async () => {
    await using bus = openBus();
    expect(bus.unready()).toEqual([]);
    await bus.untraced.close();
    expect(bus.unready()).toEqual(["the bus is closed"]);
  });
});

describe("a bus while telemetry is on", () => {
  let traces: Awaited<ReturnType<typeof traced>>;
  beforeEach(async () => {
    traces = await traced();
  });
  afterEach(() => traces.stop());

  it("has a producer span around the publish and below it a consumer span around the delivery, each of its own service", async () => {
    await using bus = openBus();
    const { take, taken } = collector(1);
    await bus.consume("work", take, { concurrency: 1 });
    await withSpan("transition", { inherited: { "toolbus.service": "agent" } }, () => bus.publish(aMessage("m1")));
    await taken;
    const { transition, "publish work": publish, "process work": process } = await traces.byName();
    expect(publish).toMatchObject({
      parentSpanId: transition?.spanId,
      kind: "PRODUCER",
      attributes: {
        "toolbus.service": "worker",
        "messaging.system": "memory",
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
        "messaging.destination.name": "work",
        "messaging.message.id": "m1",
        "messaging.message.conversation_id": "call-1",
      },
    });
    expect(process).toMatchObject({
      parentSpanId: publish?.spanId,
      kind: "CONSUMER",
      attributes: { "messaging.operation.type": "process", "toolbus.deliveries": 1, "toolbus.disposition": "ack" },
    });
    expect(new Set([transition?.traceId, publish?.traceId, process?.traceId]).size).toBe(1);
  });

  it("has no span for the publish of an answer by the handler of the call, so the answer's delivery is beneath that of the call", async () => {
    await using bus = openBus();
    const { take, taken } = collector(1);
    await bus.consume("tool.result.default", take, { concurrency: 1 });
    await bus.consume("work", async () => (await bus.publish(anAnswer()), ACK), { concurrency: 1 });
    await bus.publish(aMessage("m1"));
    const [answer] = await taken;
    await bus.close();
    const { "process work": call, "process tool.result.default": answered, ...others } = await traces.byName();
    expect(Object.keys(others)).toEqual(["publish work"]);
    expect(answered).toMatchObject({ traceId: call?.traceId, parentSpanId: call?.spanId, kind: "CONSUMER" });
    expect(answer?.message.attributes["traceparent"]).toContain(call?.spanId);
  });

  it("has a span for the publish of another message by a handler", async () => {
    await using bus = openBus();
    const { take, taken } = collector(1);
    await bus.consume("next", take, { concurrency: 1 });
    await bus.consume("work", async () => (await bus.publish({ ...aMessage("m2"), topic: "next" }), ACK), { concurrency: 1 });
    await bus.publish(aMessage("m1"));
    await taken;
    await bus.close();
    const { "process work": work, "publish next": publish, "process next": next } = await traces.byName();
    expect([publish?.parentSpanId, next?.parentSpanId]).toEqual([work?.spanId, publish?.spanId]);
  });

  it("has a span for the publish of an answer that no handler of a call makes", async () => {
    await using bus = openBus();
    const { take, taken } = collector(1);
    await bus.consume("tool.result.default", take, { concurrency: 1 });
    await withSpan("repeat", {}, () => bus.publish(anAnswer()));
    await taken;
    const { repeat, "publish tool.result.default": publish } = await traces.byName();
    expect(publish).toMatchObject({ parentSpanId: repeat?.spanId, kind: "PRODUCER" });
  });

  it("records a dead letter as a failure, and keeps the code of a call that failed before", async () => {
    await using bus = openBus();
    const letters = Promise.withResolvers<void>();
    const handler = async ({ message: { id } }: Delivery): Promise<Disposition> => {
      if (id === "failed") await withDeliverySpan("call", {}, async (span) => span.fail("crashed"));
      if (id === "last") letters.resolve();
      return { kind: "dead-letter", reason: "no" };
    };
    await bus.consume("work", handler, { concurrency: 1 });
    for (const id of ["plain", "failed", "last"]) await bus.publish(aMessage(id));
    await letters.promise;
    await bus.close();
    const deliveries = (await traces.all()).filter(({ kind }) => kind === "CONSUMER");
    const failures = deliveries.map(({ name, attributes }) => [attributes["messaging.message.id"], [name, attributes["error.type"]]]);
    expect(Object.fromEntries(failures)).toEqual({
      plain: ["process work", "dead_letter"],
      failed: ["call", "crashed"],
      last: ["process work", "dead_letter"],
    });
  });

  it("records a delivery that is given back, and one whose handler fails, by its code only", async () => {
    await using bus = openBus();
    const acked = Promise.withResolvers<void>();
    const threw = Promise.withResolvers<void>();
    const handler = async ({ message: { id }, count }: Delivery): Promise<Disposition> => {
      if (id === "failing") {
        threw.resolve();
        throw Object.assign(new Error("hunter2"), { code: "E_NO" });
      }
      if (count === 1) return { kind: "retry", after: 0, reason: "busy" };
      acked.resolve();
      return ACK;
    };
    await bus.consume("work", handler, { concurrency: 1 });
    await bus.publish(aMessage("busy"));
    await acked.promise;
    await bus.publish(aMessage("failing"));
    await threw.promise;
    await bus.close();
    const all = (await traces.all()).filter(({ name }) => name === "process work").toSorted((a, b) => placeOf(a).localeCompare(placeOf(b)));
    expect(all.map(({ attributes }) => attributes["toolbus.deliveries"])).toEqual([1, 2, 1]);
    expect(all[0]).toMatchObject({ status: "UNSET", events: [{ name: "toolbus.retry", attributes: { "toolbus.retry_after_ms": 0 } }] });
    expect(all[2]).toMatchObject({ status: "ERROR", attributes: { "error.type": "E_NO" } });
    expect(JSON.stringify(all)).not.toContain("hunter2");
  });

  it("handles a delivery in the trace of its message, whatever is active in the delivering code", async () => {
    await using bus = openBus();
    const { take, taken } = collector(1);
    await bus.consume("work", take, { concurrency: 1 });
    await withSpan("somebody else's work", {}, () => bus.untraced.publish({ ...aMessage("m1"), attributes: { traceparent: CLIENT } }));
    await taken;
    const { "process work": process } = await traces.byName();
    expect(process).toMatchObject({ traceId: CLIENT_TRACE, parentSpanId: CLIENT.slice(36, 52), links: [] });
  });

  it("publishes a message that was made for another trace in that one, linked to what is active", async () => {
    await using bus = openBus();
    const { take, taken } = collector(1);
    await bus.consume("work", take, { concurrency: 1 });
    const made: Message = { ...aMessage("m1"), attributes: { traceparent: CLIENT } };
    await withSpan("decision", {}, () => bus.publish(made));
    await taken;
    const { decision, "publish work": publish } = await traces.byName();
    expect(publish).toMatchObject({ traceId: CLIENT_TRACE, parentSpanId: CLIENT.slice(36, 52) });
    expect(publish?.links[0]?.traceparent).toContain(decision?.spanId);
  });

  it("publishes a message that only the relay sends in the trace of the commit that made it", async () => {
    await using bus = openBus();
    const { take, taken } = collector(2);
    await bus.consume("work", take, { concurrency: 1 });
    const state = memoryStore({ clock: () => Date.now() });
    // The bus of the process that commits accepts nothing, as if the process had died before the publish.
    const dead = { ...bus, publish: () => Promise.reject(new Error("dead")) };
    const options = { state, service: "s", log: silentLog, visibilityMs: 1, pollMs: 1 };
    const committer = startOutbox({ ...options, bus: dead, pollMs: 3_600_000 });
    const row = (id: string, made: Json) => ({ service: "s", id, topic: "work", message: made, dueIn: 0 });
    await withSpan("transition", {}, () =>
      committer.commit("00", {
        op: "one",
        guards: [{ key: "tb:x:{00}:1", version: 0 }],
        put: [{ key: "tb:x:{00}:1", value: 1 }],
        outbox: [row("whole", aMessage("m1") as unknown as Json), row("made later", { n: 2 })],
      }),
    );
    await committer.stop();
    const relay = startOutbox({
      ...options,
      bus,
      prepare: async ({ message: stored }) => ("attributes" in (stored as object) ? (stored as unknown as Message) : aMessage("m2")),
    });
    await taken;
    await relay.stop();
    const { transition, ...others } = await traces.byName();
    expect(others["publish work"]).toMatchObject({ traceId: transition?.traceId, parentSpanId: transition?.spanId });
    expect((await traces.all()).map(({ traceId }) => traceId)).toEqual(Array.from({ length: 5 }, () => transition?.traceId));
    await state.close();
  });
});

describe("the name of a messaging system", () => {
  it.each([
    ["memory:", "memory"],
    ["amqps://host", "rabbitmq"],
    ["nats://host", "nats"],
    ["tls://host", "nats"],
  ])("of %s is %s", (url, name) => {
    expect(messagingSystem(url)).toBe(name);
  });
});

function openBus() {
  const inner = memoryBus();
  const bus = tracedBus(inner, { service: "worker", system: "memory", clock: () => Date.now(), monotonic: () => performance.now() });
  return { ...bus, untraced: inner, [Symbol.asyncDispose]: () => inner.close() };
}

/** Returns the message and the delivery to which a span belongs. */
function placeOf({ attributes }: Line): string {
  return `${String(attributes["messaging.message.id"])} ${String(attributes["toolbus.deliveries"])}`;
}

function aMessage(id: string): Message {
  return message({ id, topic: "work", type: "t", source: "/s", now: Date.now(), correlationId: "call-1", body: {} });
}

function anAnswer(): Message {
  return { ...aMessage("answer"), topic: "tool.result.default" };
}

/** Returns a handler that acknowledges, and its deliveries with their traces. */
function collector(count: number) {
  const got: { readonly message: Message; readonly seen: string | undefined }[] = [];
  const { promise: taken, resolve } = Promise.withResolvers<typeof got>();
  const take = async ({ message: taken }: { readonly message: Message }): Promise<Disposition> => {
    await Promise.resolve();
    got.push({ message: taken, seen: currentTraceparent() });
    if (got.length === count) resolve(got);
    return ACK;
  };
  return { take, taken };
}

function inTraceOf<T>(traceparent: string, work: () => Promise<T>): Promise<T> {
  return withSpan("request", { parent: { how: "received", carrier: { traceparent } } }, work);
}

interface Line {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly object[];
  readonly links: readonly { readonly traceparent: string }[];
}

/** Starts telemetry that writes trace files, and reads their content after telemetry has stopped. */
async function traced() {
  const dir = mkdtempSync(path.join(tmpdir(), "toolbus-traced-bus-"));
  const telemetry = await startTelemetry({
    env: { TRACE_DIR: dir },
    serviceName: "toolbus",
    log: silentLog,
    newKey: () => "k".repeat(43),
    monotonic: () => performance.now(),
  });
  const all = async (): Promise<readonly Line[]> => {
    await telemetry.shutdown(5000);
    const lines = readdirSync(dir).flatMap((name) => readFileSync(path.join(dir, name), "utf8").trim().split("\n"));
    return lines.map((line) => JSON.parse(line) as Line);
  };
  return {
    all,
    byName: async (): Promise<Readonly<Record<string, Line>>> => Object.fromEntries((await all()).map((line) => [line.name, line])),
    async stop() {
      await telemetry.shutdown(5000);
      rmSync(dir, { recursive: true });
    },
  };
}
