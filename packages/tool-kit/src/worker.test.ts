import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type LocalToolsets, memoryBus, type MessageBus } from "@toolbus/bus";
import { message, messageTypes, type Message, type ToolInvoke, topics } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readRegistry } from "./registry/read-registry.ts";
import { approvalsKeys, bench, readOrThrow, receiptSigner } from "./testing/bench.ts";
import { orders, type Target, target } from "./testing/target.ts";
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

/** Makes the next write wait after it has begun, until it is released. */
function held(over: Target) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  over.onRun = async (_, effect) => {
    begin();
    await released;
    effect();
    return { paid: true };
  };
  return { begun, release };
}

describe("a toolset that the agent of its process calls directly", () => {
  const stay = new AbortController().signal;
  const bodyOf = ({ body }: Message): ToolInvoke => JSON.parse(body) as ToolInvoke;

  async function here(settings: { readonly concurrency?: number } = {}) {
    const made = setup();
    const local: LocalToolsets = new Map();
    const published: string[] = [];
    const bus: MessageBus = { ...made.bus, publish: (sent) => (published.push(sent.topic), made.bus.publish(sent)) };
    const worker = await startWorker({ ...made.options, ...settings, bus, local });
    opened.push(worker);
    const toolset = local.get(topics.invoke("orders"));
    if (!toolset) throw new Error("the worker did not offer its toolset");
    return { ...made, bus, local, published, worker, toolset };
  }

  it("runs a write through the same pipeline, with grant and ledger, and puts nothing on the bus", async () => {
    const { toolset, invoke, over, row, callId, security, published } = await here();
    const answer = await toolset.answer(await invoke("pay", { amount: 1, to: "ann" }), stay);
    expect(answer && readOrThrow(answer).result.status).toBe("ok");
    expect(await row(callId())).toMatchObject({ state: "done" });
    expect(await toolset.answer(await invoke("pay", { amount: 1, to: "ann" }, { index: 1, grant: "none" }), stay)).toBeNull();
    expect(over.runs).toBe(1);
    expect(published).toEqual([]);
    expect(await vi.waitUntil(async () => (await security()).length > 0 && (await security()))).toHaveLength(1);
  });

  it("answers message for message like a worker on the bus", async () => {
    const calls = [
      ["look_up", { id: "7", limit: 1 }],
      ["look_up", { id: 7 }],
      ["look_down", {}],
      ["pay", { amount: 1, to: "ann" }],
    ] as const;
    // The receipts are not compared, because each one contains the time of its signature.
    const reported = ({ attributes: { "toolbus-receipt": receipt, "toolbus-result-metadata": _, ...rest }, ...answer }: Message) => ({
      ...answer,
      attributes: { ...rest, signed: receipt !== undefined },
    });
    const local = await here();
    const remote = setup();
    opened.push(await startWorker({ ...remote.options, bus: remote.bus }));
    const agent = await answers(remote.bus);
    for (const [index, [tool, args]] of calls.entries()) {
      const answered = agent.next();
      await remote.bus.publish(await remote.invoke(tool, args, { index }));
      const answer = await local.toolset.answer(await local.invoke(tool, args, { index }), stay);
      expect(answer && reported(answer)).toEqual(reported(await answered));
    }
  });

  it.each([
    ["a result", "look_up", { id: "7", limit: 1 }],
    ["a refusal", "look_up", { id: 7 }],
    ["an unknown tool", "look_down", {}],
  ])("gives a read the same result as the message of a worker: %s", async (_, tool, args) => {
    const { toolset, invoke } = await here();
    const direct = await invoke(tool, args);
    const result = await toolset.read(direct, bodyOf(direct), stay);
    const answer = await toolset.answer(await invoke(tool, args, { index: 1 }), stay);
    const { metadata: __, ...rest } = answer ? readOrThrow(answer).result : { metadata: null };
    expect(result).toMatchObject(rest);
    expect({ ...result, metadata: 0 }).toEqual({ ...rest, metadata: 0 });
  });

  it("shares the worker's limit of concurrency with the calls from the bus", async () => {
    const { toolset, invoke, over, bus } = await here({ concurrency: 1 });
    const agent = await answers(bus);
    const first = held(over);
    const answered = toolset.answer(await invoke("pay", { amount: 1, to: "ann" }), stay);
    await first.begun;
    const next = agent.next();
    await bus.publish(await invoke("look_up", { id: "7", limit: 1 }, { index: 1 }));
    await setImmediate();
    expect(agent.got).toEqual([]);
    first.release();
    await answered;
    expect(readOrThrow(await next).result.status).toBe("ok");
  });

  it("runs a call once, and says so while it runs or waits", async () => {
    const { toolset, invoke, over, callId } = await here();
    const first = held(over);
    const call = await invoke("pay", { amount: 1, to: "ann" });
    const answered = toolset.answer(call, stay);
    await first.begun;
    expect(toolset.runs(callId())).toBe(true);
    expect(await toolset.answer(call, stay)).toBeNull();
    first.release();
    await answered;
    expect(toolset.runs(callId())).toBe(false);
  });

  it("is withdrawn when the worker stops, which waits for the calls under way and begins no other", async () => {
    const { toolset, local, invoke, over, worker } = await here({ concurrency: 1 });
    const first = held(over);
    const running = toolset.answer(await invoke("pay", { amount: 1, to: "ann" }), stay);
    await first.begun;
    const waiting = toolset.answer(await invoke("pay", { amount: 2, to: "bob" }, { index: 1 }), stay);
    const stopped = worker.stop();
    expect(await waiting).toBeNull();
    expect(local.size).toBe(0);
    first.release();
    expect((await running)?.type).toBe(messageTypes.toolResult);
    await stopped;
    expect(over.runs).toBe(1);
  });
});
