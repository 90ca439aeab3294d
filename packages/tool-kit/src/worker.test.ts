import { randomBytes } from "node:crypto";
import { memoryBus, type MessageBus } from "@toolbus/bus";
import { message, messageTypes, type Message, topics } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { afterEach, describe, expect, it } from "vitest";
import { mountToolset } from "./local-toolset.ts";
import { readRegistry } from "./registry/read-registry.ts";
import { approvalsKeys, bench, readOrThrow, receiptSigner } from "./testing/bench.ts";
import { orders, target } from "./testing/target.ts";
import { startWorker } from "./worker.ts";
import { workerTimings } from "./worker-timings.ts";

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part.stop();
});

function setup() {
  const over = target();
  const tools = orders(over);
  const made = bench(tools);
  const bus = memoryBus();
  opened.push({ stop: () => bus.close() });
  // The messages have times of the bench's clock, so the worker uses the same clock.
  const options = {
    toolset: tools,
    state: made.state,
    keys: approvalsKeys,
    signer: receiptSigner,
    log: silentLog,
    clock: () => made.clock.now,
    monotonic: () => performance.now(),
    random: (bytes: number) => randomBytes(bytes),
  };
  return { over, ...made, bus, options };
}

/** Consumes the agent's answers. Returns all answers that arrived, and a function that waits for the next one. */
async function answers(bus: MessageBus) {
  const got: Message[] = [];
  const waiting: ((answer: Message) => void)[] = [];
  const consumer = await bus.consume(
    topics.result("tester"),
    async ({ message: answer }) => {
      got.push(answer);
      waiting.shift()?.(answer);
      return { kind: "ack" };
    },
    { concurrency: 8 },
  );
  opened.push(consumer);
  return { got, next: () => new Promise<Message>((resolve) => waiting.push(resolve)) };
}

describe("a worker on the bus", () => {
  it("registers its tools, announces them and answers calls", async () => {
    const { bus, options, invoke, state, over } = setup();
    const announced = Promise.withResolvers<Message>();
    await bus.listen(topics.toolAnnounce, announced.resolve);
    const agent = await answers(bus);
    opened.push(await startWorker({ ...options, bus }));
    expect(JSON.parse((await announced.promise).body)).toEqual({ toolset: "orders", tools: ["pay", "look_up"] });
    expect((await readRegistry(state)).map(({ definition }) => definition.name)).toEqual(["look_up", "pay"]);
    const first = agent.next();
    await bus.publish(await invoke("look_up", { id: "7", limit: 1 }));
    expect(readOrThrow(await first).result.content).toBe('{"id":"7","state":"shipped"}');
    const second = agent.next();
    await bus.publish(await invoke("pay", { amount: 1, to: "ann" }, { index: 1 }));
    expect(readOrThrow(await second).result.status).toBe("ok");
    expect(over.runs).toBe(1);
    // An error is published to the topic that the call names, like a result.
    const third = agent.next();
    await bus.publish(await invoke("look_up", { limit: 1 }, { index: 2 }));
    expect(await third).toMatchObject({ topic: "tool.result.tester", type: messageTypes.toolError });
  });

  it("has one effect even if the bus duplicates and reorders", async () => {
    const { bus, options, invoke, over } = setup();
    const agent = await answers(bus);
    opened.push(
      await startWorker({ ...options, bus, timings: { ...workerTimings, retryMs: [5] } }),
      await startWorker({ ...options, bus }),
    );
    bus.setFaults({ duplicate: 0.5, reorder: 0.5 });
    const answered = Promise.all(Array.from({ length: 30 }, () => agent.next()));
    for (let index = 0; index < 30; index++) await bus.publish(await invoke("pay", { amount: 1, to: "ann" }, { index }));
    await answered;
    expect([...over.effects.values()].every((count) => count === 1)).toBe(true);
  });

  it("accepts a hint to cancel a write only if the agent has written a stop", async () => {
    const { bus, options, invoke, over, stopCall, callId, clock } = setup();
    const agent = await answers(bus);
    const worker = await startWorker({ ...options, bus });
    opened.push(worker);
    const started = Promise.withResolvers<AbortSignal>();
    over.onPrepare = (signal) => (started.resolve(signal), new Promise(() => undefined));
    const answer = agent.next();
    await bus.publish(await invoke("pay", { amount: 1, to: "ann" }));
    const signal = await started.promise;
    const hint = (n: number): Message =>
      message({
        id: `cancel:${n}`,
        topic: topics.toolCancel,
        type: messageTypes.toolCancel,
        source: "anyone",
        now: clock.now,
        body: { toolCallId: callId() },
      });
    const heard = Promise.withResolvers<void>();
    await bus.listen(topics.toolCancel, () => heard.resolve());
    await bus.announce(hint(1));
    await heard.promise;
    expect(signal.aborted).toBe(false);
    await stopCall();
    await bus.announce(hint(2));
    expect(readOrThrow(await answer).result.status).toBe("cancelled");
    expect(over.runs).toBe(0);
  });

  it("registers again when asked to, and stops twice without harm", async () => {
    const { bus, options, clock } = setup();
    const worker = await startWorker({ ...options, bus });
    const announced = Promise.withResolvers<Message>();
    await bus.listen(topics.toolAnnounce, announced.resolve);
    await bus.announce(
      message({ id: "refresh:1", topic: topics.toolRefresh, type: "toolbus.tool.refresh", source: "agent", now: clock.now, body: {} }),
    );
    expect((await announced.promise).source).toBe("worker.orders");
    await Promise.all([worker.stop(), worker.stop()]);
  });
});

describe("a toolset mounted in process", () => {
  it("answers the local consumer through the same pipeline, with grant and ledger, and without a queue", async () => {
    const { bus, options, invoke, over, row, callId, security } = setup();
    const mounted = await mountToolset(bus, options);
    opened.push(mounted);
    const agent = await answers(mounted.bus);
    const first = agent.next();
    await mounted.bus.publish(await invoke("pay", { amount: 1, to: "ann" }));
    expect(readOrThrow(await first).result.status).toBe("ok");
    expect(await row(callId())).toMatchObject({ state: "done" });
    await expect(bus.publish(await invoke("pay", { amount: 1, to: "ann" }, { index: 1 }))).rejects.toThrow(/No queue/);
    await mounted.bus.publish(await invoke("pay", { amount: 1, to: "ann" }, { index: 2, grant: "none" }));
    await mounted.stop();
    expect(over.runs).toBe(1);
    expect(agent.got).toHaveLength(1);
    expect(await security()).toHaveLength(1);
  });

  it("answers like a worker on the bus, message for message, and puts nothing on the bus", async () => {
    const calls = [
      ["look_up", { id: "7", limit: 1 }],
      ["look_up", { id: 7 }],
      ["look_down", {}],
      ["pay", { amount: 1, to: "ann" }],
    ] as const;
    const answersOf = async (place: "here" | "on the bus") => {
      const { bus, options, invoke, clock } = setup();
      const published: string[] = [];
      const watched: MessageBus = { ...bus, publish: (sent) => (published.push(sent.topic), bus.publish(sent)) };
      const settled = { ...options, monotonic: () => clock.now };
      const mounted = place === "here" ? await mountToolset(watched, settled) : null;
      opened.push(mounted ?? (await startWorker({ ...settled, bus: watched })));
      const agentsBus = mounted?.bus ?? watched;
      const agent = await answers(agentsBus);
      for (const [index, [tool, args]] of calls.entries()) {
        const answer = agent.next();
        await agentsBus.publish(await invoke(tool, args, { index }));
        await answer;
      }
      // The receipts are not compared, because each one contains the time of its signature.
      const reported = agent.got.map(({ attributes: { "toolbus-receipt": receipt, ...rest }, ...answer }) => ({
        ...answer,
        attributes: { ...rest, signed: receipt !== undefined },
      }));
      return { reported, published };
    };
    const [here, there] = [await answersOf("here"), await answersOf("on the bus")];
    expect(here.reported).toHaveLength(calls.length);
    expect(here.reported).toEqual(there.reported);
    expect(there.published).toHaveLength(2 * calls.length);
    expect(here.published).toEqual([]);
  });

  it("publishes the answer when nobody here consumes it", async () => {
    const { bus, options, invoke } = setup();
    const elsewhere = await answers(bus);
    const mounted = await mountToolset(bus, options);
    opened.push(mounted);
    const answer = elsewhere.next();
    await mounted.bus.publish(await invoke("look_up", { id: "7", limit: 1 }));
    expect(readOrThrow(await answer).result.status).toBe("ok");
  });
});
