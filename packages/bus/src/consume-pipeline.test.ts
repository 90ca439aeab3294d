import { attributes, MAX_BODY_BYTES, type Message, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { probe, record } from "./conformance/probe.ts";
import { consumeQueue } from "./consume-pipeline.ts";
import { deadLetterMessage } from "./dead-letter.ts";
import { memoryBus } from "./memory/memory-bus.ts";
import { BusUnavailable, type MessageBus, Unroutable } from "./message-bus.ts";
import { CALL, good, NOW, pipelineUnderTest, TOPIC } from "./testing/pipeline-under-test.ts";

describe("a message that cannot be read", () => {
  it("because of its long id is kept in full", async () => {
    await using s = await pipelineUnderTest();
    await s.start();
    const id = "x".repeat(256);
    await s.send(id);
    expect(await s.letterOf(id)).toMatchObject({ reason: "the id is over 255 bytes", deliveries: 1, message: { id } });
  });

  it.each<[string, Partial<Message>, string]>([
    ["that is not JSON", { body: "{ not json" }, "the body is not JSON"],
    ["that is empty", { body: "" }, "the body is not JSON"],
    [
      "that breaks its schema",
      { body: JSON.stringify({ toolCallId: CALL, approved: true }) },
      "the body breaks its schema: /approved is not a known field",
    ],
    ["that is too large", { body: JSON.stringify("x".repeat(MAX_BODY_BYTES)) }, "the body is over 262144 bytes"],
    ["that is too large in characters of three bytes", { body: JSON.stringify("€".repeat(88_000)) }, "the body is over 262144 bytes"],
    ["from a source of long characters", { source: "€".repeat(86) }, "the source is over 255 bytes"],
    ["with attributes of long characters", { attributes: { filler: "€".repeat(22_000) } }, "the attributes are over 65536 bytes"],
    ["with a long type", { type: "x".repeat(256) }, "the type is over 255 bytes"],
    ["from a long source", { source: "é".repeat(128) }, "the source is over 255 bytes"],
    ["about something long", { correlationId: "x".repeat(256) }, "the correlationId is over 255 bytes"],
    ["with a long reply topic", { replyTo: "x".repeat(256) }, "the replyTo is over 255 bytes"],
    ["whose attributes are too large", { attributes: { filler: "x".repeat(65_536) } }, "the attributes are over 65536 bytes"],
    ["of an unknown type", { type: "toolbus.other" }, "the type is not one of toolbus.tool.cancel"],
    ["that is too old", { time: new Date(NOW - 86_400_001).toISOString() }, "the message is older than 86400000 ms"],
    ["that is dated far ahead", { time: new Date(NOW + 86_400_001).toISOString() }, "the message is dated more than 86400000 ms ahead"],
    ["without a proper time", { time: "1" }, "the time is not RFC 3339"],
    ["with a time that is not a date", { time: "2030-13-41T25:00:00Z" }, "the time is not RFC 3339"],
  ])("%s becomes a dead letter at once, and the next one is handled", async (_, parts, reason) => {
    await using s = await pipelineUnderTest();
    await s.start({ types: ["toolbus.tool.cancel"], concurrency: 1 });
    await s.send("bad", parts);
    await s.send("good");
    expect(await s.letterOf("bad")).toMatchObject({ queue: TOPIC, reason, deliveries: 1, history: [] });
    await s.isHandled("good");
    expect(s.handled.items).toEqual(["good"]);
  });

  it("is accepted up to exactly the limits of age and size", async () => {
    await using s = await pipelineUnderTest();
    await s.start({ maxAgeMs: 1000 });
    const text = JSON.stringify({ toolCallId: CALL });
    await s.send("old", { time: new Date(NOW - 1000).toISOString() });
    await s.send("large", { body: text + " ".repeat(MAX_BODY_BYTES - text.length) });
    await s.isHandled("old");
    await s.isHandled("large");
    expect(s.letters.items).toEqual([]);
  });

  it("also becomes a dead letter if its parser throws", async () => {
    await using s = await pipelineUnderTest();
    await s.start({
      parse: () => {
        throw new RangeError("Too deep.");
      },
    });
    await s.send("bad");
    expect((await s.letterOf("bad"))?.reason).toBe("the body cannot be checked");
  });
});

describe("a dead letter", () => {
  it("keeps the message without its grant and its call secret", async () => {
    await using s = await pipelineUnderTest();
    await s.start({ handler: async () => ({ kind: "dead-letter", reason: "not wanted" }) });
    const named = { [attributes.grant]: "eyJ.the.grant", [attributes.callSecret]: "the-secret", [attributes.era]: "3" };
    await s.send("secret", { attributes: named, correlationId: CALL });
    const letter = await s.letterOf("secret");
    expect(letter?.reason).toBe("not wanted");
    expect(letter?.message).toEqual(good("secret", { attributes: { [attributes.era]: "3" }, correlationId: CALL }));
    expect(s.lines.map(({ text }) => text).join()).not.toMatch(/the\.grant|the-secret/);
  });

  it("keeps the beginning of a message that does not fit, and says so", async () => {
    await using s = await pipelineUnderTest();
    await s.start({ handler: async () => ({ kind: "dead-letter", reason: "not wanted" }) });
    await s.send("long", {
      body: "\u0000".repeat(MAX_BODY_BYTES * 2),
      attributes: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`n${n}`, "\u0001".repeat(500)])),
    });
    const letter = await s.letterOf("long");
    expect(letter?.cut).toBe(true);
    expect(letter?.message.body).toBe("\u0000".repeat(8192));
  });

  it("has its own id, even if another program gives two messages the same", () => {
    const idOf = (body: string): string =>
      deadLetterMessage(good("order-1".repeat(100), { body }), { queue: TOPIC, reason: "no", deliveries: 1, history: [], now: NOW }).id;
    expect(idOf("{")).toBe(idOf("{"));
    expect(idOf("{")).not.toBe(idOf("["));
    expect(idOf("{").length).toBeLessThanOrEqual(200);
  });

  it("is published again until it is confirmed, even if no queue takes it, and the message is never dropped", async () => {
    const refusals: Error[] = [new Unroutable("No queue."), new BusUnavailable("No answer.")];
    await using s = await pipelineUnderTest((bus) => ({
      ...bus,
      async publish(sent) {
        const refusal = sent.topic === topics.dead(TOPIC) ? refusals.shift() : undefined;
        if (refusal) throw refusal;
        await bus.publish(sent);
      },
    }));
    await s.start();
    await s.send("bad", { body: "{" });
    const letter = await s.letterOf("bad");
    expect(letter).toMatchObject({ reason: "the body is not JSON", deliveries: 3 });
    const errors = s.lines.filter(({ level }) => level === "error").map(({ text }) => text);
    expect(errors).toEqual([expect.stringContaining('"code":"unroutable"'), expect.stringContaining('"code":"bus_unavailable"')]);
  });
});

describe("a handler", () => {
  it("gets the message, its parsed body and how often it was delivered", async () => {
    await using s = await pipelineUnderTest();
    const seen = record<unknown>({ patienceMs: 5000 });
    await s.start({
      handler: async ({ id }, body, { count, redelivered, signal }) => {
        seen.add({ id, body, count, redelivered, aborted: signal.aborted });
        return count === 1 ? { kind: "retry", after: 0, reason: "once more" } : { kind: "ack" };
      },
    });
    await s.send("good");
    const common = { id: "good", body: { toolCallId: CALL }, aborted: false };
    expect(await seen.until("two deliveries", ({ length }) => length === 2)).toEqual([
      { ...common, count: 1, redelivered: false },
      { ...common, count: 2, redelivered: true },
    ]);
  });

  it("that throws is retried, and the log has its code and place but not its words", async () => {
    await using s = await pipelineUnderTest();
    await s.start({
      handler: async ({ id }, _, { count }) => {
        if (count === 1) throw Object.assign(new Error("The password is hunter2."), { code: "no_luck" });
        s.handled.add(id);
        return { kind: "ack" };
      },
    });
    await s.send("failing");
    await s.isHandled("failing");
    const [line] = s.lines;
    expect(line?.level).toBe("error");
    expect(line?.text).toMatch(/the handler failed .*"code":"no_luck".*consume-pipeline\.test\.ts/);
    expect(line?.text).not.toContain("hunter2");
  });

  it("that always throws leaves a dead letter with its history", async () => {
    await using s = await pipelineUnderTest();
    await s.start({
      maxDeliveries: 3,
      handler: async () => {
        throw new TypeError("It cannot work.");
      },
    });
    await s.send("hopeless");
    expect(await s.letterOf("hopeless")).toMatchObject({
      reason: "delivered 3 times; the handler failed (TypeError)",
      deliveries: 3,
      history: [
        { at: NOW, reason: "the handler failed (TypeError)" },
        { at: NOW, reason: "the handler failed (TypeError)" },
      ],
    });
  });

  it("that has another message's id leaves a dead letter without the other's tries", async () => {
    await using s = await pipelineUnderTest();
    await s.start({
      maxDeliveries: 1000,
      handler: async ({ id }, _, { count }) => {
        if (count === 3) s.handled.add(id);
        return { kind: "retry", after: 1, reason: "busy" };
      },
    });
    await s.send("same");
    await s.isHandled("same");
    await s.send("same", { body: "{" });
    expect(await s.letterOf("same")).toMatchObject({ reason: "the body is not JSON", deliveries: 1, history: [] });
  });

  it("that asks for another try each time is also bounded", async () => {
    await using s = await pipelineUnderTest();
    await s.start({ maxDeliveries: 2, handler: async () => ({ kind: "retry", after: 0, reason: "busy" }) });
    await s.send("busy");
    expect(await s.letterOf("busy")).toMatchObject({ reason: "delivered 2 times; busy", history: [{ at: NOW, reason: "busy" }] });
  });

  it("that is late sees its signal abort and is retried", async () => {
    await using s = await pipelineUnderTest();
    const reasons: unknown[] = [];
    await s.start({
      deadlineMs: 20,
      handler: async ({ id }, _, { count, signal }) => {
        if (count === 1) {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          return new Promise<never>(() => undefined);
        }
        s.handled.add(id);
        return { kind: "ack" };
      },
    });
    await s.send("late");
    await s.isHandled("late");
    expect(reasons).toEqual([expect.objectContaining({ name: "TimeoutError" })]);
    expect(s.lines.map(({ text }) => text)).toEqual([expect.stringMatching(/longer than 20 ms .*"code":"deadline"/)]);
  });

  it("is not run again for a message whose last tries ended without a result", async () => {
    const deliveredTwelveTimes = (bus: MessageBus): MessageBus => ({
      ...bus,
      consume: (topic, handler, options) => bus.consume(topic, (delivery) => handler({ ...delivery, count: 12 }), options),
    });
    await using s = await pipelineUnderTest(deliveredTwelveTimes);
    await s.start();
    await s.send("crashing");
    expect(await s.letterOf("crashing")).toMatchObject({ reason: "delivered 11 times; none was acked" });
    expect(s.handled.items).toEqual([]);
  });

  it("whose delivery was taken back is ignored: no error, no dead letter, and the message comes again", async () => {
    await using s = await pipelineUnderTest();
    const begun = record<string>({ patienceMs: 5000 });
    const subscription = await s.start({
      maxDeliveries: 1,
      handler: async ({ id }, _, { signal }) => {
        begun.add(id);
        const { promise: aborted, resolve } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => resolve());
        await aborted;
        throw new Error("The handler gives up.");
      },
    });
    await s.send("taken");
    await begun.until("the handler runs", ({ length }) => length === 1);
    await subscription.stop();
    await s.start();
    await s.isHandled("taken");
    expect([s.letters.items, s.lines]).toEqual([[], []]);
  });
});

describe("back-off", () => {
  it("grows by the list and stays at its last entry", async () => {
    const delays: number[] = [];
    await using s = await pipelineUnderTest((bus) => ({
      ...bus,
      consume: (topic, handler, options) =>
        bus.consume(
          topic,
          async (delivery) => {
            const disposition = await handler(delivery);
            if (disposition.kind !== "retry") return disposition;
            delays.push(disposition.after);
            return { ...disposition, after: 0 };
          },
          options,
        ),
    }));
    await s.start({
      maxDeliveries: 6,
      backoffMs: [1000, 5000, 30_000],
      handler: async () => {
        throw new Error("It fails.");
      },
    });
    await s.send("failing");
    await s.letterOf("failing");
    expect(delays).toEqual([1000, 5000, 30_000, 30_000, 30_000]);
  });
});

describe("consumers", () => {
  it("handle every message at least once while the bus duplicates and reorders", async () => {
    const bus = memoryBus({ faults: { duplicate: 0.3, reorder: 0.5, delayMs: 5 } });
    const handled = record<string>({ patienceMs: 10_000 });
    await consumeQueue(bus, {
      topic: "orders",
      concurrency: 8,
      deadlineMs: 5000,
      parse: (value) => ({ ok: true, value }),
      handler: async ({ id }) => {
        handled.add(id);
        return { kind: "ack" };
      },
      log: { warn: () => undefined, error: () => undefined },
      clock: Date.now,
    });
    for (let n = 0; n < 200; n++) await bus.publish(probe("orders", `order-${n}`));
    const ids = await handled.until("all orders are handled", (all) => new Set(all).size === 200);
    await bus.close();
    // Some messages must be handled more than once, otherwise the faults did nothing.
    expect(ids.length).toBeGreaterThan(200);
  });
});
