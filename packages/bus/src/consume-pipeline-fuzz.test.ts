import { type Message, message, parseDeadLetter, parser, ToolInvoke, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { record } from "./conformance/probe.ts";
import { consumeQueue } from "./consume-pipeline.ts";
import { memoryBus } from "./memory/memory-bus.ts";
import type { MessageBus } from "./message-bus.ts";

const NOW = Date.parse("2030-05-01T12:00:00Z");
const RUN = "rn_00_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const TOPIC = topics.invoke("fuzz");
const MESSAGES = 20_000;
const SEEDS = process.env["LONG_PROOFS"] === undefined ? [1] : [1, 2026];
const parseInvoke = parser(ToolInvoke);

describe("20,000 random messages", () => {
  it.each(SEEDS)("each end acked, as a dead letter or in the count, and a good one behind them is handled (seed %i)", async (seed) => {
    const random = randomFrom(seed);
    const broker = memoryBus({ random });
    const ended = record<string>({ patienceMs: 25_000 });
    const endings = { acked: 0, dead: 0, dropped: 0, broken: 0 };
    const end = (how: keyof typeof endings, id: string): void => {
      endings[how]++;
      ended.add(id);
    };
    const kept = new Set<string>();
    const reported: unknown[] = [];
    const bus: MessageBus = {
      ...broker,
      async publish(sent) {
        await broker.publish(sent);
        const letter = sent.topic === topics.dead(TOPIC) ? parseDeadLetter(JSON.parse(sent.body)) : null;
        if (letter?.ok) kept.add(letter.value.message.id);
      },
      consume: (topic, handler, options) =>
        broker.consume(
          topic,
          async (delivery) => {
            const disposition = await handler(delivery);
            const { id } = delivery.message;
            // No handler acked the message, and it has no dead letter. So the pipeline dropped it.
            if (disposition.kind === "ack" && topic === TOPIC && !kept.has(id)) end("dropped", id);
            return disposition;
          },
          options,
        ),
    };
    await broker.consume(
      topics.dead(TOPIC),
      async (delivery) => {
        const letter = parseDeadLetter(JSON.parse(delivery.message.body));
        end(letter.ok ? "dead" : "broken", letter.ok ? letter.value.message.id : delivery.message.id);
        return { kind: "ack" };
      },
      { concurrency: 16 },
    );
    const subscription = await consumeQueue(bus, {
      topic: TOPIC,
      concurrency: 16,
      deadlineMs: 5000,
      maxDeliveries: 2,
      backoffMs: [0],
      types: ["toolbus.tool.invoke"],
      parse: parseInvoke,
      handler: async ({ id }, { toolName }) => {
        if (toolName === "throws") throw new Error("This tool always fails.");
        kept.add(id);
        end("acked", id);
        return { kind: "ack" };
      },
      log: { warn: (fields) => "dropped" in fields && reported.push(fields.dropped), error: () => undefined },
      clock: () => NOW,
    });

    for (let n = 0; n < MESSAGES; n++) await bus.publish(randomMessage(`fuzz-${n}`, random));
    await bus.publish(invoke("good", "works"));
    const ids = await ended.until("every message comes to an end", ({ length }) => length === MESSAGES + 1);
    await subscription.stop();
    await broker.close();

    expect(new Set(ids).size).toBe(MESSAGES + 1);
    expect(ids).toContain("good");
    expect(endings.broken).toBe(0);
    expect(reported).toEqual([endings.dropped]);
    // Each kind of end must occur often, otherwise the checks above prove nothing.
    expect(Math.min(endings.acked, endings.dead, endings.dropped)).toBeGreaterThan(1000);
  });
});

function invoke(id: string, toolName: string): Message {
  const body = { toolCallId: `${RUN}.1.0`, toolName, arguments: "{}", sessionId: RUN.replace("rn_", "cv_") };
  return message({ id, topic: TOPIC, type: "toolbus.tool.invoke", source: "fuzz", now: NOW, body });
}

/** Returns a message that is valid, or invalid in one of many ways. */
function randomMessage(id: string, random: () => number): Message {
  const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];
  const good = invoke(id, pick(["works", "works", "throws"]));
  const kinds: readonly [() => Partial<Message>, ...(() => Partial<Message>)[]] = [
    () => ({}),
    () => ({ body: noise(random, 200) }),
    () => ({ body: JSON.stringify(randomJson(random, 4)) }),
    () => ({ body: flipped(good.body, random) }),
    () => ({ body: good.body.slice(0, Math.floor(random() * good.body.length)) }),
    () => ({ body: good.body.replace("{", '{"__proto__":{"isAdmin":true},') }),
    () => ({ body: "[".repeat(Math.floor(random() * 3000)) }),
    () => ({
      attributes: Object.fromEntries(Array.from({ length: Math.floor(random() * 20) }, () => [noise(random, 20), noise(random, 50)])),
    }),
    () => ({ attributes: JSON.parse(`{"__proto__":${JSON.stringify(noise(random, 20))},"constructor":"x","toolbus-grant":"eyJ"}`) }),
    () => ({ type: noise(random, 30) }),
    () => ({
      time: pick([noise(random, 30), "2030-02-31T00:00:00Z", "9999-99-99T99:99:99Z", new Date(NOW - random() * 3e8).toISOString()]),
    }),
    () => ({ source: noise(random, 30), correlationId: noise(random, 30), replyTo: noise(random, 30) }),
    () => (random() < 0.01 ? { body: noise(random, 1).repeat(300_000), attributes: { long: noise(random, 10).repeat(10_000) } } : {}),
  ];
  return { ...good, ...pick(kinds)() };
}

function randomJson(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 6 : 4));
  if (kind === 0) return null;
  if (kind === 1) return random() * 1e9;
  if (kind === 2) return noise(random, 30);
  if (kind === 3) return random() < 0.5;
  const items = Array.from({ length: Math.floor(random() * 5) }, () => randomJson(random, depth - 1));
  return kind === 4 ? items : Object.fromEntries(items.map((item) => [random() < 0.3 ? "toolCallId" : noise(random, 8), item]));
}

/** Returns the text with one character replaced by a random one. */
function flipped(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  return text.slice(0, at) + noise(random, 1) + text.slice(at + 1);
}

/** Returns text of random UTF-16 units. Half of the units are ASCII, as in JSON. Surrogates may be unpaired. */
function noise(random: () => number, longest: number): string {
  const length = 1 + Math.floor(random() * longest);
  return Array.from({ length }, () => String.fromCharCode(random() * (random() < 0.5 ? 128 : 65_536))).join("");
}

/**
 * Returns a generator of random numbers from 0 up to 1. A seed always gives the same numbers. This linear congruential generator is good enough to
 * vary the input.
 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
