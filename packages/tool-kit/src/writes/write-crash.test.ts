import { describe, expect, it } from "vitest";
import { bench } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { workerTimings } from "../worker-timings.ts";

const ARGS = { amount: 5, to: "ann" };
const LEASE = workerTimings.leaseMs;
type Mode = Parameters<typeof orders>[1];

function setup(idempotency?: Mode) {
  const over = target();
  return { over, ...bench(orders(over, idempotency)) };
}

describe("a worker that dies", () => {
  it("after begin: others wait for its lease, then run it", async () => {
    const { over, process, invoke, clock, row } = setup({ mode: "none" });
    const first = process({ dieAfter: "begin" });
    void first.deliver(await invoke("pay", ARGS));
    await first.died;
    const second = process();
    const again = await invoke("pay", ARGS, { dispatch: 2 });
    expect(await second.deliver(again)).toMatchObject({ kind: "retry", after: LEASE });
    clock.now += LEASE;
    expect(await second.deliver(again, 2)).toEqual({ kind: "ack" });
    expect(over.runs).toBe(1);
    expect(await row()).toMatchObject({ state: "done", fence: 2, result: { status: "ok" } });
  });

  it("after begin: a redelivery of its own message takes over at once", async () => {
    const { over, process, invoke } = setup({ mode: "none" });
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "begin" });
    void first.deliver(sent);
    await first.died;
    const second = process();
    expect(await second.deliver(sent, 2)).toEqual({ kind: "ack" });
    expect(over.runs).toBe(1);
  });

  it("after begin: nobody waits if the store knows that its owner is dead", async () => {
    const { process, invoke, clock } = setup();
    const first = process({ dieAfter: "begin" });
    void first.deliver(await invoke("pay", ARGS));
    await first.died;
    clock.now += 1;
    const second = process({ ownersDeadBefore: clock.now });
    expect(await second.deliver(await invoke("pay", ARGS, { dispatch: 2 }))).toEqual({ kind: "ack" });
  });

  it("after sending: a target that honours the key gets the same value, which is not prepared again", async () => {
    const { over, process, invoke, callId } = setup();
    const first = process({ dieAfter: "sending" });
    const sent = await invoke("pay", ARGS);
    void first.deliver(sent);
    await first.died;
    const second = process();
    await second.deliver(sent, 2);
    expect(over.prepares).toBe(1);
    expect(over.sent).toEqual([{ ...ARGS, note: "prepared 1" }]);
    expect(over.effects).toEqual(new Map([[callId(), 1]]));
    expect(second.read()[0]?.result.status).toBe("ok");
  });

  it("after the effect: the target honours the key, so the effect stays one", async () => {
    const { over, process, invoke, callId } = setup();
    const sent = await invoke("pay", ARGS);
    const happened = hangAfterEffect(over);
    void process().deliver(sent);
    await happened;
    over.onRun = null;
    const second = process();
    await second.deliver(sent, 2);
    expect(over.runs).toBe(2);
    expect(over.effects).toEqual(new Map([[callId(), 1]]));
    expect(second.read()[0]?.result.status).toBe("ok");
  });

  it("after finish: the stored result is published, and nothing runs", async () => {
    const { over, process, invoke } = setup({ mode: "none" });
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "finish" });
    void first.deliver(sent);
    await first.died;
    expect(first.answers).toEqual([]);
    const second = process();
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result.status).toBe("ok");
    expect(over.runs).toBe(1);
  });

  it("after sending, without idempotency: the outcome is unknown, and there is never a second run", async () => {
    for (const effectFirst of [false, true]) {
      const { over, process, invoke, row } = setup({ mode: "none" });
      const sent = await invoke("pay", ARGS);
      if (effectFirst) {
        const happened = hangAfterEffect(over);
        void process().deliver(sent);
        await happened;
      } else {
        const first = process({ dieAfter: "sending" });
        void first.deliver(sent);
        await first.died;
      }
      const runs = over.runs;
      const second = process();
      await second.deliver(sent, 2);
      await second.deliver(await invoke("pay", ARGS, { dispatch: 2 }));
      expect(second.read().map(({ result }) => result.status)).toEqual(["outcome_unknown", "outcome_unknown"]);
      expect(over.runs).toBe(runs);
      expect(await row()).toMatchObject({ state: "done", result: { status: "outcome_unknown" } });
    }
  });

  it("after sending: the outcome is unknown once the target may have forgotten the key", async () => {
    const { over, process, invoke, clock } = setup({ mode: "key", keepsForMs: 60_000 });
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    clock.now += 59_500;
    const second = process();
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over.runs).toBe(0);
  });

  it("cannot finish after another has taken over", async () => {
    const { over, process, invoke, row } = setup();
    const sent = await invoke("pay", ARGS);
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    over.onRun = async () => {
      started.resolve();
      await held;
      return { from: "old" };
    };
    const first = process();
    const stalled = first.deliver(sent);
    await started.promise;
    over.onRun = () => ({ from: "new" });
    const second = process();
    await second.deliver(sent, 2);
    letGo();
    expect(await stalled).toMatchObject({ kind: "retry" });
    expect(first.answers).toEqual([]);
    expect((await row())?.result?.content).toBe('{"from":"new"}');
  });
});

describe("a write that was sent before its tool was changed or removed", () => {
  it("is not refused, because a refusal would say that nothing happened", async () => {
    const { process, invoke } = setup();
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    const second = process();
    second.context.toolset.unregister("pay");
    expect(await second.deliver(sent, 2)).toEqual({ kind: "ack" });
    expect(second.answers).toEqual([]);
  });
});

/** Lets the effect happen, but nothing after it, so the process acts as if it were dead. */
function hangAfterEffect(over: ReturnType<typeof target>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  over.onRun = (_, effect) => {
    effect();
    resolve();
    return new Promise(() => undefined);
  };
  return promise;
}
