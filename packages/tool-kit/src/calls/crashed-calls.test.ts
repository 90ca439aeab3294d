import { BusUnavailable } from "@toolbus/bus";
import { type Json, keys, type Message } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { type CrashMark, judge, MOST_DEATHS } from "./crash-mark.ts";
import { defineTool } from "../tool/define-tool.ts";
import { bench, type ProcessOptions, type TestProcess } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { toolset } from "../tool/toolset.ts";
import { workerTimings } from "../worker-timings.ts";

const NEVER = new Promise<never>(() => undefined);

/** Sets up a toolset whose handlers signal that they began, and crash the process if the test says so. */
function setup() {
  const began: string[] = [];
  const deadly = new Set<string>();
  let running: TestProcess | null = null;
  const parameters = { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false };
  const held = new Map<string, () => void>();
  const read = defineTool({
    name: "look_up",
    kind: "read",
    description: "Looks up.",
    parameters,
    timeoutMs: 600_000,
    run: async (args) => {
      const id = textOf(args["id"]);
      began.push(id);
      if (deadly.has(id)) return crash();
      if (held.has(id)) await new Promise<void>((resolve) => held.set(id, resolve));
      return "found";
    },
  });
  const made = bench(toolset({ name: "orders", tools: [read] }));
  return {
    ...made,
    began,
    deadly,
    /** Makes the handler of this call wait until it is released. */
    hold: (id: string) => held.set(id, () => undefined),
    letGo(id: string) {
      held.get(id)?.();
      held.delete(id);
    },
    start(options?: ProcessOptions): TestProcess {
      return (running = made.process(options));
    },
    ask: (id: string, index = 0, dispatch = 1) => made.invoke("look_up", { id }, { index, dispatch }),
    async mark(index = 0) {
      const { documents } = await made.state.read([keys.crashMark("orders", made.callId(index))]);
      return documents[0]?.value ?? null;
    },
  };

  function crash(): Promise<never> {
    running?.kill();
    return NEVER;
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Returns the mark of a worker whose lease has expired. */
function died(deaths: number, alone: boolean): CrashMark {
  return { by: "another", deaths, alone, since: 1, until: 500 };
}

/** Resolves when the handler of the call has begun this many times. */
async function begun(calls: readonly string[], id: string, times: number): Promise<void> {
  await expect.poll(() => calls.filter((one) => one === id).length).toBe(times);
}

describe("a call that takes its worker down", () => {
  it("repeatedly is answered without being run, and its message becomes a dead letter", async () => {
    const { start, ask, began, deadly, clock } = setup();
    deadly.add("a");
    const sent = await ask("a");
    // The first attempt leaves no mark. The first two workers may have crashed for any reason.
    for (const count of [1, 2, 3]) {
      void start().deliver(sent, count);
      await begun(began, "a", count);
      if (count > 1) clock.now += workerTimings.leaseMs;
    }
    const last = start();
    expect(await last.deliver(sent, 4)).toEqual({
      kind: "dead-letter",
      reason: 'the workers that ran "look_up" with these arguments went down',
    });
    expect(last.read()[0]?.result).toMatchObject({ status: "error", isError: true, error: { code: "worker_crashed", retryable: false } });
    expect(began).toEqual(["a", "a", "a"]);
  });

  it("waits if its worker may still be alive: it may only have lost its connection", async () => {
    const { start, ask, began, deadly } = setup();
    deadly.add("a");
    const sent = await ask("a");
    for (const count of [1, 2]) {
      void start().deliver(sent, count);
      await begun(began, "a", count);
    }
    expect(await start().deliver(sent, 3)).toMatchObject({ kind: "retry", after: workerTimings.leaseMs });
    expect(began).toHaveLength(2);
  });

  it("is also found when it is sent again instead of redelivered", async () => {
    const { start, ask, began, deadly, clock } = setup();
    deadly.add("a");
    // The first message may have been lost, so the mark does not count its attempt as a crash.
    for (const dispatch of [1, 2, 3]) {
      void start().deliver(await ask("a", 0, dispatch));
      await begun(began, "a", dispatch);
      clock.now += workerTimings.leaseMs;
    }
    expect(await start().deliver(await ask("a", 0, 4))).toMatchObject({ kind: "dead-letter" });
    expect(began).toHaveLength(3);
  });

  it("after its tool has returned, because of a promise that the tool did not await, counts until its answer is confirmed", async () => {
    const { start, ask, began, mark, clock } = setup();
    const sent = await ask("a");
    for (const count of [1, 2, 3]) {
      const { promise: crashed, resolve } = Promise.withResolvers<void>();
      const worker = start({
        publish() {
          worker.kill();
          resolve();
          return NEVER;
        },
      });
      void worker.deliver(sent, count);
      await crashed;
      if (count > 1) clock.now += workerTimings.leaseMs;
    }
    expect(await mark()).toMatchObject({ deaths: 1, alone: true });
    expect(await start().deliver(sent, 4)).toMatchObject({ kind: "dead-letter" });
    expect(began).toEqual(["a", "a", "a"]);
  });

  it("takes no other call with it: calls that were under way with it run to their end", async () => {
    const { start, ask, began, deadly, clock } = setup();
    deadly.add("a");
    const [bad, good] = [await ask("a", 0), await ask("b", 1)];
    for (const count of [1, 2, 3]) {
      const worker = start();
      void worker.deliver(bad, count);
      await begun(began, "a", count);
      // The bad call has a mark from the second attempt on, so the good call waits while the bad one runs alone, and then the worker crashes.
      if (count > 2) void worker.deliver(good);
      clock.now += workerTimings.leaseMs;
    }
    const last = start();
    expect(await Promise.all([last.deliver(bad, 4), last.deliver(good, 2)])).toMatchObject([{ kind: "dead-letter" }, { kind: "ack" }]);
    expect(
      last
        .read()
        .map(({ result }) => result.status)
        .toSorted(),
    ).toEqual(["error", "ok"]);
    expect(began).toEqual(["a", "a", "a", "b"]);
  });

  it("while others run is not blamed yet: it runs once more, alone", async () => {
    const { start, ask, began, deadly, hold, letGo, mark, clock } = setup();
    deadly.add("a");
    hold("b");
    const bad = await ask("a");
    for (const count of [1, 2]) {
      const worker = start();
      void worker.deliver(await ask("b", count));
      await begun(began, "b", count);
      void worker.deliver(bad, count);
      await begun(began, "a", count);
    }
    expect(await mark()).toMatchObject({ deaths: 0, alone: false });

    clock.now += workerTimings.leaseMs;
    const third = start();
    const other = third.deliver(await ask("b", 3));
    await begun(began, "b", 3);
    void third.deliver(bad, 3);
    await expect.poll(() => mark()).toMatchObject({ deaths: 0 });
    // The bad call waits until the other call ends.
    letGo("b");
    expect(await other).toEqual({ kind: "ack" });
    await begun(began, "a", 3);
    expect(await mark()).toMatchObject({ deaths: 1, alone: true });
    clock.now += workerTimings.leaseMs;
    expect(await start().deliver(bad, 4)).toMatchObject({ kind: "dead-letter" });
  });

  it("once, alone, may have had nothing to do with it: it runs again", () => {
    expect(judge({ mark: died(0, true), self: "me", now: 1000, ownersDeadBefore: 0 })).toEqual({ kind: "run", deaths: 1 });
  });

  it("that never ran alone when two workers went down gets one more chance", async () => {
    expect(judge({ mark: died(1, false), self: "me", now: 1000, ownersDeadBefore: 0 })).toEqual({ kind: "run", deaths: 2 });
    expect(judge({ mark: died(1, true), self: "me", now: 1000, ownersDeadBefore: 0 })).toEqual({ kind: "quarantined", deaths: 2 });
    expect(judge({ mark: died(MOST_DEATHS - 1, false), self: "me", now: 1000, ownersDeadBefore: 0 })).toMatchObject({
      kind: "quarantined",
    });
  });
});

describe("a redelivered call", () => {
  // A call that runs alone would delay the others for up to ten seconds.
  it("delays no other call of its new worker, because its old worker may just have been killed", { timeout: 5000 }, async () => {
    const { start, ask, hold, letGo, began } = setup();
    hold("a");
    const worker = start();
    const slow = worker.deliver(await ask("a", 0), 2);
    await begun(began, "a", 1);
    expect(await Promise.all([worker.deliver(await ask("b", 1), 2), worker.deliver(await ask("c", 2))])).toEqual([
      { kind: "ack" },
      { kind: "ack" },
    ]);
    letGo("a");
    expect(await slow).toEqual({ kind: "ack" });
  });

  it("costs nothing extra the first time", async () => {
    const { start, ask, steps } = setup();
    expect(await start().deliver(await ask("a"))).toEqual({ kind: "ack" });
    expect(steps).toEqual([]);
  });

  it("leaves no mark if it ends properly", async () => {
    const { start, ask, steps, mark } = setup();
    expect(await start().deliver(await ask("a"), 2)).toEqual({ kind: "ack" });
    expect(steps).toEqual(["crash-mark", "crash-mark-ends"]);
    expect(await mark()).toBeNull();
  });

  it("that this worker handed back is not suspected", async () => {
    const { start, ask, steps } = setup();
    let away = true;
    const worker = start({
      publish: async () => {
        if (away) throw new BusUnavailable("The broker is away.");
      },
    });
    const sent = await ask("a");
    expect(await worker.deliver(sent)).toMatchObject({ kind: "retry" });
    away = false;
    expect(await worker.deliver(sent, 2)).toEqual({ kind: "ack" });
    expect(steps).toEqual([]);
  });

  it("of a living worker is left to that worker", async () => {
    const { start, ask, hold, letGo, began, clock } = setup();
    hold("a");
    const first = start();
    const running = first.deliver(await ask("a", 0, 2));
    await begun(began, "a", 1);
    expect(await start().deliver(await ask("a", 0, 3))).toMatchObject({ kind: "retry", after: workerTimings.leaseMs });
    letGo("a");
    expect(await running).toEqual({ kind: "ack" });
    clock.now += 1;
    expect(await start().deliver(await ask("a", 0, 3))).toEqual({ kind: "ack" });
  });
});

describe("a write that takes its worker down", () => {
  const ARGS = { amount: 5, to: "ann" };

  it("before anything is sent ends as a crash, in the ledger, with a receipt", async () => {
    const over = target();
    const { process, invoke, row, clock } = bench(orders(over));
    const sent = await invoke("pay", ARGS);
    await crashes(over, "prepare", [process(), process(), process()], { sent, clock });
    const third = process();
    expect(await third.deliver(sent, 4)).toMatchObject({ kind: "dead-letter" });
    expect(third.read()[0]?.result.error).toMatchObject({
      code: "worker_crashed",
      message: 'The workers that ran "pay" with these arguments went down, so it is not run again. Nothing of it was sent.',
    });
    expect(await row()).toMatchObject({ state: "done", result: { error: { code: "worker_crashed" } } });
    expect([over.prepares, over.runs]).toEqual([3, 0]);
  });

  it("while it is sent ends with an unknown outcome, even if its target would accept it again", async () => {
    const over = target();
    const { process, invoke, row, clock } = bench(orders(over));
    const sent = await invoke("pay", ARGS);
    await crashes(over, "run", [process(), process(), process()], { sent, clock });
    const third = process();
    expect(await third.deliver(sent, 4)).toMatchObject({ kind: "dead-letter" });
    expect(third.read()[0]?.result.status).toBe("outcome_unknown");
    expect(await row()).toMatchObject({ state: "done", result: { status: "outcome_unknown" } });
    expect(over.runs).toBe(3);
  });

  it("after it was done is answered with its result, and does not become a dead letter", async () => {
    const over = target();
    const { process, invoke, clock } = bench(orders(over));
    const sent = await invoke("pay", ARGS);
    for (const count of [1, 2, 3]) {
      const worker = process({ dieAfter: count === 1 ? "finish" : "crash-mark" });
      void worker.deliver(sent, count);
      await worker.died;
      clock.now += workerTimings.leaseMs;
    }
    const third = process();
    expect(await third.deliver(sent, 4)).toEqual({ kind: "ack" });
    expect(third.read()[0]?.result.status).toBe("ok");
    expect(over.runs).toBe(1);
  });

  async function crashes(
    over: ReturnType<typeof target>,
    where: "prepare" | "run",
    workers: readonly TestProcess[],
    { sent, clock }: { readonly sent: Message; readonly clock: { now: number } },
  ): Promise<void> {
    for (const [n, worker] of workers.entries()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const crash = (): Promise<never> => {
        worker.kill();
        resolve();
        return NEVER;
      };
      if (where === "prepare") over.onPrepare = crash;
      else over.onRun = crash;
      void worker.deliver(sent, n + 1);
      await promise;
      clock.now += workerTimings.leaseMs;
    }
  }
});
