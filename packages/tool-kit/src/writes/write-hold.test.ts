import { type Era, newRunId } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { bench } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { workerTimings } from "../worker-timings.ts";

const ARGS = { amount: 5, to: "ann" };
const CURRENT = { grant: { era: 2 } };
const MINUTE = 60_000;
type Mode = Parameters<typeof orders>[1];

function setup(idempotency: Mode = { mode: "none" }) {
  const over = target();
  const made = { over, ...bench(orders(over, idempotency)) };
  return {
    ...made,
    /** Writes the era as approvals does when a process reports that the shard of the calls lost writes. */
    hold: (more: Partial<NonNullable<Era["lost"]>[number]> = {}) =>
      made.raiseEra({ lost: [{ shard: "03", lostAt: made.clock.now, ...more }] }),
  };
}

/** Returns the id of a run that was created at this time. */
const runOf = (now: number): string => newRunId({ now, random: new Uint8Array(16) }, "cv_03_01ARZ3NDEKTSV4RRFFQ69G5FAV");

describe("a write in a shard that lost writes", () => {
  it("does not begin, and nobody claims that it never began", async () => {
    const { over, process, invoke, hold, row } = setup();
    await hold();
    const worker = process();
    expect(await worker.deliver(await invoke("pay", ARGS, CURRENT))).toEqual({ kind: "ack" });
    expect(worker.read()).toMatchObject([{ result: { status: "outcome_unknown", isError: true } }]);
    expect(worker.answers[0]?.body).toMatch(/not executed now.*toolbus era resume 03.*not known/);
    expect([over.prepares, over.runs]).toEqual([0, 0]);
    expect(await row()).toMatchObject({ state: "done" });
  });

  it("of a run that is newer than the loss was certainly not executed", async () => {
    const { over, process, invoke, hold, clock } = setup();
    await hold();
    clock.now += 3 * MINUTE;
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS, { ...CURRENT, run: runOf(clock.now - MINUTE) }));
    expect(worker.read()).toMatchObject([{ result: { status: "not_executed", error: { retryable: true } } }]);
    expect(over.runs).toBe(0);
  });

  it.each([
    ["of a minute before the loss", 0],
    ["of the future, as an id derived from a key may say", 10 * MINUTE],
  ])("of a run %s is of unknown outcome", async (_, after) => {
    const { process, invoke, hold, clock } = setup();
    await hold();
    const madeAt = clock.now + after;
    clock.now += 3 * MINUTE;
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS, { ...CURRENT, run: runOf(madeAt) }));
    expect(worker.read()).toMatchObject([{ result: { status: "outcome_unknown" } }]);
  });

  it("stays ended when it comes again after the resume: it must be requested again", async () => {
    const { over, process, invoke, hold } = setup();
    await hold();
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS, CURRENT));
    await hold({ resumeAt: 0 });
    await worker.deliver(await invoke("pay", ARGS, { ...CURRENT, dispatch: 2 }));
    expect(worker.read().map(({ result }) => result.status)).toEqual(["outcome_unknown", "outcome_unknown"]);
    await worker.deliver(await invoke("pay", ARGS, { ...CURRENT, index: 1 }));
    expect(worker.read()[2]?.result.status).toBe("ok");
    expect(over.runs).toBe(1);
  });

  it("continues by itself at the time that a policy set", async () => {
    const { process, invoke, hold, clock } = setup();
    await hold({ resumeAt: clock.now + MINUTE });
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS, CURRENT));
    clock.now += MINUTE;
    await worker.deliver(await invoke("pay", ARGS, { ...CURRENT, index: 1 }));
    expect(worker.read().map(({ result }) => result.status)).toEqual(["outcome_unknown", "ok"]);
  });

  it("waits if its target can only be asked, and continues if the target knows the key", async () => {
    for (const [mode, status] of [
      [{ mode: "reconcile" }, "outcome_unknown"],
      [{ mode: "key", keepsForMs: 86_400_000 }, "ok"],
    ] as const) {
      const { process, invoke, hold } = setup(mode);
      await hold();
      const worker = process();
      await worker.deliver(await invoke("pay", ARGS, CURRENT));
      expect(worker.read()[0]?.result.status).toBe(status);
    }
  });

  it("that was sent before is completed: its target reports the outcome", async () => {
    const { over, process, invoke, hold, clock } = setup({ mode: "reconcile" });
    over.answer = () => ({ kind: "happened", content: { paid: true } });
    const first = process({ dieAfter: "sending" });
    const sent = await invoke("pay", ARGS);
    void first.deliver(sent);
    await first.died;
    await hold();
    clock.now += workerTimings.leaseMs;
    const second = process();
    await second.deliver(await invoke("pay", ARGS, { ...CURRENT, dispatch: 2 }), 2);
    expect(second.read()[0]?.result.status).toBe("ok");
    expect([over.runs, over.reconciles]).toEqual([0, 1]);
  });

  it("is not held by the loss of another shard", async () => {
    const { process, invoke, raiseEra, clock } = setup();
    await raiseEra({ lost: [{ shard: "04", lostAt: clock.now }] });
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS, CURRENT));
    expect(worker.read()[0]?.result.status).toBe("ok");
  });
});

describe("a loss that the worker itself noticed", () => {
  it("holds writes until approvals knows about it", async () => {
    const { process, invoke, hold, clock } = setup();
    const losses = new Map([["03", clock.now]]);
    const worker = process({ losses });
    await worker.deliver(await invoke("pay", ARGS));
    clock.now += MINUTE;
    await hold({ resumeAt: 0 });
    await worker.deliver(await invoke("pay", ARGS, { ...CURRENT, index: 1 }));
    losses.set("03", clock.now + 1);
    await worker.deliver(await invoke("pay", ARGS, { ...CURRENT, index: 2 }));
    expect(worker.read().map(({ result }) => result.status)).toEqual(["outcome_unknown", "ok", "outcome_unknown"]);
  });

  it("holds the write whose own commit was refused because of it", async () => {
    const { over, process, invoke, clock } = setup();
    const losses = new Map<string, number>();
    const worker = process({ losses, refuseOnce: "begin", onRefused: () => void losses.set("03", clock.now) });
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over.runs).toBe(0);
  });

  it("holds the write that was about to be sent: it is decided again, not reported as cancelled", async () => {
    const { over, process, invoke, clock } = setup();
    const losses = new Map<string, number>();
    const worker = process({ losses, refuseOnce: "sending", onRefused: () => void losses.set("03", clock.now) });
    const sent = await invoke("pay", ARGS);
    expect(await worker.deliver(sent)).toMatchObject({ kind: "retry" });
    expect(await worker.deliver(sent, 2)).toEqual({ kind: "ack" });
    expect(worker.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over.runs).toBe(0);
  });
});
