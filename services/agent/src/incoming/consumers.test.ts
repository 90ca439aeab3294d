import { memoryBus } from "@toolbus/bus";
import {
  approvalIdOf,
  attributes,
  type DeadLetter,
  keys,
  type Message,
  message,
  messageIds,
  messageTypes,
  parseDeadLetter,
  queuesOf,
  topics,
} from "@toolbus/contracts";
import { secretHash, signMessage } from "@toolbus/grants";
import { type ModelProvider, type ModelReply, offlineModel } from "@toolbus/models";
import type { Change } from "@toolbus/state";
import { describe, expect, it, vi } from "vitest";
import { advanceHeld } from "../steps/advance.ts";
import { onResult, startConsumers } from "./consumers.ts";
import { takeEntry } from "./inbox.ts";
import { asks, RUN } from "../testing/test-bundle.ts";
import { proofKeys } from "../testing/test-proofs.ts";
import { readerUnderTest } from "../testing/test-reader.ts";

const NOW = 1_800_000_000_000;
const CALL = `${RUN}.1.0`;
const ELSEWHERE = CALL.replace("rn_03_", "rn_ff_");

/** Starts the agent's consumers for a run whose write waits for people. Collects the messages that the consumers give up. */
async function setup() {
  const under = await readerUnderTest();
  const bus = memoryBus();
  const letters = new Map<string, (letter: DeadLetter) => void>();
  for (const queue of queuesOf({ agents: ["default"], toolsets: [] }))
    await bus.consume(
      topics.dead(queue),
      async ({ message: { body } }) => {
        const letter = parseDeadLetter(JSON.parse(body));
        if (letter.ok) letters.get(letter.value.message.id)?.(letter.value);
        return { kind: "ack" };
      },
      { concurrency: 1 },
    );
  const consumers = await startConsumers(bus, under.reader, () => NOW);
  await under.b.start();
  await under.b.turn([asks("change")]);
  return {
    ...under,
    bus,
    security: async () => (await under.b.state.range(keys.security("03", "agent"), { after: 0, limit: 10 })).map(({ value }) => value),
    /** Returns why the consumers give up a message. */
    async refused(sent: Message): Promise<Pick<DeadLetter, "reason" | "deliveries">> {
      const { promise, resolve } = Promise.withResolvers<DeadLetter>();
      letters.set(sent.id, resolve);
      await bus.publish(sent);
      const { reason, deliveries } = await promise;
      return { reason, deliveries };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await bus.close();
      await under[Symbol.asyncDispose]();
    },
  };
}

/** Returns a wake of the run that names a delivery. */
const wakeFor = (delivery: string, n: number) =>
  message({
    id: messageIds.other("wake", RUN, n),
    topic: topics.runWake,
    type: messageTypes.runWake,
    source: "/gateway",
    now: NOW,
    body: { runId: RUN, delivery },
  });

describe("a wake that names a delivery of a webhook", () => {
  it("has it sent again, if it is in the run's own shard", async () => {
    await using s = await setup();
    const [own, other] = ["wh_03_01JD0000000000000000000001", "wh_04_01JD0000000000000000000001"];
    for (const [n, delivery] of [other, own].entries()) await s.bus.publish(wakeFor(delivery, n + 1));
    await vi.waitUntil(() => s.deliveriesSentAgain.includes(own), { timeout: 30_000, interval: 1 });
    expect(s.deliveriesSentAgain).toEqual([own]);
  });
});

const held = (callId: string) => ({
  toolCallId: callId,
  approvalId: approvalIdOf(callId),
  tier: "high",
  expiresAt: NOW + 1,
  effect: "Change.",
});
const decided = (callId: string) => ({ toolCallId: callId, approvalId: approvalIdOf(callId), outcome: "approved" });
const response = (callId: string) => ({ toolCallId: callId, toolName: "change", content: "", isError: false });

const QUEUES: readonly (readonly [topic: string, type: string, body: (callId: string) => object])[] = [
  [topics.runWake, messageTypes.runWake, (callId) => ({ runId: callId.replace(".1.0", "") })],
  [topics.result("default"), messageTypes.toolResult, response],
  [topics.approvalHeld("default"), messageTypes.approvalHeld, held],
  [topics.approvalDecided("default"), messageTypes.approvalDecided, decided],
];

function sentOn(topic: string, type: string, body: object, named: Record<string, string> = {}): Message {
  const id = `test:${topic}:${type}`;
  return message({ id, topic, type, source: "/test", now: NOW, body, attributes: { [attributes.secretHash]: "none", ...named } });
}

describe("on each queue of the agent", () => {
  it.each(QUEUES)("%s: a message of another type is given up", async (topic, _, body) => {
    await using s = await setup();
    expect((await s.refused(sentOn(topic, messageTypes.toolRefresh, body(CALL)))).reason).toMatch(/^the type is not one of /);
  });

  it.each(QUEUES)("%s: a message about a missing shard is given up at once", async (topic, type, body) => {
    await using s = await setup();
    expect(await s.refused(sentOn(topic, type, body(ELSEWHERE)))).toEqual({
      reason: "it names a shard that this store does not have",
      deliveries: 1,
    });
  });
});

describe("a message about a write that waits", () => {
  it.each([
    ["an expiry that is not finite", { ...held(CALL), expiresAt: "INFINITE" }, "/expiresAt must be integer"],
    [
      "an effect that no event could hold",
      { ...held(CALL), effect: "x".repeat(100_000) },
      "/effect must NOT have more than 2000 characters",
    ],
    ["an unknown tier", { ...held(CALL), tier: "x".repeat(100_000) }, "/tier must be one of"],
  ])("with %s changes nothing", async (_, body, why) => {
    await using s = await setup();
    const before = await s.b.call(0);
    const sent = sentOn(topics.approvalHeld("default"), messageTypes.approvalHeld, body);
    const { reason, deliveries } = await s.refused({ ...sent, body: sent.body.replace('"INFINITE"', "1e999") });
    expect([reason, deliveries]).toEqual([expect.stringContaining(why), 1]);
    expect(await s.b.call(0)).toEqual(before);
    expect((await s.b.state.read([keys.call(CALL)])).documents[0]?.value).toEqual(before);
  });

  it.each(["approved", "rejected"])("that somebody else decided as %s still waits, until approvals decides", async (outcome) => {
    await using s = await setup();
    const body = { ...decided(CALL), outcome, decidedBy: ["amy"] };
    const forged = sentOn(topics.approvalDecided("default"), messageTypes.approvalDecided, body, { [attributes.grant]: "forged" });
    await s.bus.publish(forged);
    await vi.waitUntil(async () => (await s.security()).length > 0, { timeout: 30_000, interval: 1 });
    expect(await s.security()).toEqual([expect.objectContaining({ reason: "decision_unsigned", callId: CALL })]);
    expect(await s.b.call(0)).toMatchObject({ state: "requested" });
    await s.bus.publish({ ...(await signMessage(forged, proofKeys.identityOf("approvals"))), id: "genuine" });
    await vi.waitUntil(async () => (await s.b.call(0)).state !== "requested", { timeout: 30_000, interval: 1 });
  });

  it("with a grant that is too long is given up", async () => {
    await using s = await setup();
    const named = { [attributes.grant]: "x".repeat(60_000) };
    expect(await s.refused(sentOn(topics.approvalDecided("default"), messageTypes.approvalDecided, decided(CALL), named))).toEqual({
      reason: "its grant is longer than any valid grant",
      deliveries: 1,
    });
  });
});

describe("a cancel that overtakes the start of its run", () => {
  it("is looked at again soon, and left to the gateway's timer after a few times", async () => {
    await using s = await readerUnderTest();
    const bus = memoryBus();
    const cancel = `${RUN}!cancel`;
    await s.put(cancel, { kind: "cancel", entryId: cancel, runId: RUN, agent: "default", by: "ada", acceptedAt: 1 });
    const seen: string[] = [];
    const watched: typeof bus = {
      ...bus,
      consume: (topic, handler, options) =>
        bus.consume(
          topic,
          async (delivery) => {
            const disposition = await handler(delivery);
            seen.push(disposition.kind);
            return disposition;
          },
          options,
        ),
    };
    const consumers = await startConsumers(watched, s.reader, () => NOW);
    const body = { runId: RUN, entryId: cancel };
    await bus.publish(message({ id: "wake:c#g1", topic: topics.runWake, type: messageTypes.runWake, source: "/g", now: NOW, body }));
    await vi.waitUntil(() => seen.includes("ack"), { timeout: 30_000, interval: 1 });
    expect(seen).toEqual(["retry", "retry", "retry", "ack"]);
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    await bus.close();
  });
});

/** Returns a model that makes this call and then ends the run. */
function sayingOnce(call: ReturnType<typeof asks>): ModelProvider {
  let asked = 0;
  return {
    ...offlineModel(),
    complete: async (): Promise<ModelReply> => ({
      text: "Done.",
      calls: asked++ === 0 ? [call] : [],
      stop: "end_turn",
      usage: { inputTokens: 1, outputTokens: 1 },
      model: "m",
    }),
  };
}

describe("the answer that ends a round", () => {
  const signal = new AbortController().signal;

  async function looked() {
    const s = await readerUnderTest();
    await s.b.start();
    await s.b.turn([asks("look", "a")]);
    const call = await s.b.call(0);
    const body = { ...response(call.callId), toolName: "look", content: "{}" };
    const answer = sentOn(topics.result("default"), messageTypes.toolResult, body, { [attributes.secretHash]: secretHash(call.secret) });
    const deliver = (count: number) => onResult(s.reader, answer, { count, redelivered: count > 1, signal });
    return Object.assign(s, { deliver, run: async () => (await s.b.snapshot()).run.value });
  }

  it("is acknowledged after the next step, which begins without a wake", async () => {
    await using s = await looked();
    await s.b.sent();
    expect(await s.deliver(1)).toEqual({ kind: "ack" });
    expect((await s.run()).status).toBe("done");
    expect((await s.b.sent()).map(({ topic }) => topic)).toEqual([]);
  });

  it("asks the model once if it is delivered twice at the same time", async () => {
    const model = sayingOnce(asks("look", "a"));
    let asked = 0;
    await using s = await readerUnderTest([], { ...model, complete: (...input) => (asked++, model.complete(...input)) });
    const taken = await takeEntry(s.reader, RUN, RUN, "wake");
    if (taken && taken !== "not_started") await advanceHeld(s.reader, taken, signal);
    const call = await s.b.call(0);
    const body = { ...response(call.callId), toolName: "look", content: "{}" };
    const answer = sentOn(topics.result("default"), messageTypes.toolResult, body, { [attributes.secretHash]: secretHash(call.secret) });
    const deliver = () => onResult(s.reader, answer, { count: 1, redelivered: false, signal });
    expect(await Promise.all([deliver(), deliver(), deliver()])).toEqual(Array(3).fill({ kind: "ack" }));
    expect(asked).toBe(2);
    expect((await s.b.snapshot()).run.value.status).toBe("done");
  });

  it("is in the commit of the next turn if it comes to the process that committed its own turn", async () => {
    await using s = await readerUnderTest([], sayingOnce(asks("look", "a")));
    const { commit } = s.b.state;
    const commits: string[] = [];
    Object.assign(s.reader.state, {
      commit: (shard: string, change: Change) => (commits.push(change.op.split(":")[0] ?? ""), commit(shard, change)),
    });
    const taken = await takeEntry(s.reader, RUN, RUN, "wake");
    if (taken && taken !== "not_started") await advanceHeld(s.reader, taken, signal);
    const call = await s.b.call(0);
    const body = { ...response(call.callId), toolName: "look", content: "{}" };
    const answer = sentOn(topics.result("default"), messageTypes.toolResult, body, { [attributes.secretHash]: secretHash(call.secret) });
    const forged = { ...answer, attributes: { ...answer.attributes, [attributes.secretHash]: "sha256-of-another-secret" } };
    expect(await onResult(s.reader, forged, { count: 1, redelivered: false, signal })).toEqual({ kind: "ack" });
    expect((await s.b.call(0)).state).toBe("dispatched");
    expect(await onResult(s.reader, answer, { count: 1, redelivered: false, signal })).toEqual({ kind: "ack" });
    expect(commits).toEqual(["round", "round"]);
    expect((await s.b.snapshot()).run.value.status).toBe("done");
  });

  it("shows at its redelivery that the holder of the run has died", async () => {
    await using s = await looked();
    const { commit } = s.b.state;
    const died = new Error("the process dies");
    // The process dies after the commit that joins the answer and acquires the run.
    Object.assign(s.reader.state, {
      async commit(shard: string, change: Change) {
        if (!change.op.startsWith("continue:")) return commit(shard, change);
        await commit(shard, change);
        throw died;
      },
    });
    await expect(s.deliver(1)).rejects.toBe(died);
    Object.assign(s.reader.state, { commit });
    expect(await s.run()).toMatchObject({ status: "ready", lease: expect.anything() });
    expect(await s.deliver(1)).toEqual({ kind: "ack" });
    expect((await s.run()).status).toBe("ready");
    expect(await s.deliver(2)).toEqual({ kind: "ack" });
    expect((await s.run()).status).toBe("done");
  });
});
