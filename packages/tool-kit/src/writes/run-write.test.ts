import { approvalIdOf } from "@toolbus/contracts";
import { verifyReceipt } from "@toolbus/grants";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { bench, receiptKeys } from "../testing/bench.ts";
import { orders, pay, target } from "../testing/target.ts";
import { toolError } from "../tool/tool-problem.ts";
import { toolset } from "../tool/toolset.ts";
import { workerTimings } from "../worker-timings.ts";

const ARGS = { amount: 5, to: "ann" };
const LEASE = workerTimings.leaseMs;
type Mode = Parameters<typeof orders>[1];

function setup(idempotency?: Mode) {
  const over = target();
  return { over, ...bench(orders(over, idempotency)) };
}

describe("a write with a genuine grant", () => {
  it("happens once, is recorded before it is answered, and carries a receipt", async () => {
    const { over, process, invoke, row, steps, callId } = setup();
    const worker = process();
    expect(await worker.deliver(await invoke("pay", ARGS))).toEqual({ kind: "ack" });
    expect(over.effects).toEqual(new Map([[callId(), 1]]));
    expect(steps).toEqual(["begin", "sending", "finish"]);
    const [answer] = worker.read();
    expect(answer?.result).toMatchObject({
      status: "ok",
      content: '{"paid":true}',
      metadata: { tool: "pay", agent: "tester", ok: true, attempt: 1, traceId: "0af7651916cd43dd8448eb211c80319c" },
    });
    const stored = await row();
    expect(stored).toMatchObject({ state: "done", fence: 1, lease: null, jti: approvalIdOf(callId()), result: { status: "ok" } });
    expect(stored?.prepared).toBeUndefined();
    const receipt = await verifyReceipt({
      receipt: answer?.receipt ?? "",
      keys: receiptKeys,
      expected: { callId: callId(), toolset: "orders" },
    });
    expect(receipt.kind).toBe("genuine");
  });

  it("gives the stored result when its grant is used again, and does not run again", async () => {
    const { over, process, invoke } = setup();
    const lines: string[] = [];
    const worker = process({ log: { ...silentLog, info: (_, line) => void lines.push(line) } });
    await worker.deliver(await invoke("pay", ARGS));
    await worker.deliver(await invoke("pay", ARGS, { dispatch: 2 }));
    expect(over.runs).toBe(1);
    expect(lines).toEqual(["a tool call was answered", "a tool call was answered again from the ledger"]);
    const [first, second] = worker.read();
    expect(second?.result).toEqual(first?.result);
    expect(worker.answers.map(({ id }) => id.split("#")[1])).toEqual(["r1", "r2"]);
  });

  it("is run once even if its commits' replies are lost", async () => {
    for (const step of ["begin", "sending", "finish"]) {
      const { over, process, invoke, callId } = setup({ mode: "none" });
      const worker = process({ loseReplyOf: step });
      expect(await worker.deliver(await invoke("pay", ARGS))).toEqual({ kind: "ack" });
      expect(over.effects).toEqual(new Map([[callId(), 1]]));
      expect(worker.read()[0]?.result.status).toBe("ok");
    }
  });

  it("keeps a large prepared value as a blob and sends it whole after a crash", async () => {
    const { over, process, invoke, row } = setup();
    const args = { amount: 1, to: "x".repeat(40_000) };
    const first = process({ dieAfter: "sending" });
    void first.deliver(await invoke("pay", args));
    await first.died;
    expect((await row())?.prepared).toMatchObject({ blob: expect.stringMatching(/^sha256-/) });
    await process().deliver(await invoke("pay", args), 2);
    expect(over.sent).toEqual([{ ...args, note: "prepared 1" }]);
  });
});

describe("a write whose run fails", () => {
  it("is repeated with the same key and with back-off, and is unknown after five attempts", async () => {
    const { over, process, invoke, callId } = setup();
    const keys: string[] = [];
    over.onRun = ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      throw new Error("connection reset");
    };
    const worker = process();
    const sent = await invoke("pay", ARGS);
    const waits: unknown[] = [];
    for (let count = 1; count <= 5; count++) waits.push(await worker.deliver(sent, count));
    expect(waits.map((d) => (typeof d === "object" && d !== null && "after" in d ? d.after : "ack"))).toEqual([
      1000,
      5000,
      30_000,
      30_000,
      "ack",
    ]);
    expect(keys).toEqual(Array.from({ length: 5 }, () => callId()));
    expect(worker.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over.prepares).toBe(1);
  });

  it("ends as an error if the target refused", async () => {
    const { over, process, invoke, row } = setup();
    over.onRun = () => toolError("account_closed", "The account is closed.", { effect: "none" });
    const worker = process();
    expect(await worker.deliver(await invoke("pay", ARGS))).toEqual({ kind: "ack" });
    expect(worker.read()[0]?.result).toMatchObject({ status: "error", error: { code: "account_closed", class: "ToolUserError" } });
    expect((await row())?.state).toBe("done");
  });

  it("stays open if only a later attempt was refused: the first may have succeeded", async () => {
    const { over, process, invoke } = setup();
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    over.onRun = () => toolError("account_closed", "The account is closed.", { effect: "none" });
    expect(await process().deliver(sent, 2)).toMatchObject({ kind: "retry" });
  });

  it("is unknown at once if nothing may be repeated, even after a time-out", async () => {
    const over = target();
    const { process, invoke } = bench(toolset({ name: "orders", tools: [pay(over, { mode: "none" }, 20)] }));
    over.onRun = () => new Promise(() => undefined);
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result.status).toBe("outcome_unknown");
  });

  it("is repeated after a time-out if the target honours the key", async () => {
    const over = target();
    const { process, invoke } = bench(toolset({ name: "orders", tools: [pay(over, { mode: "key", keepsForMs: 60_000 }, 20)] }));
    over.onRun = (_, effect) => {
      effect();
      return new Promise(() => undefined);
    };
    const worker = process();
    const sent = await invoke("pay", ARGS);
    expect(await worker.deliver(sent)).toMatchObject({ kind: "retry", after: 1000 });
    over.onRun = null;
    await worker.deliver(sent, 2);
    expect([...over.effects.values()]).toEqual([1]);
    expect(worker.read()[0]?.result.status).toBe("ok");
  });

  it("in prepare is a plain error: nothing was sent", async () => {
    const { over, process, invoke, row, steps } = setup({ mode: "none" });
    over.onPrepare = () => {
      throw toolError("unavailable", "The price list cannot be read.");
    };
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result).toMatchObject({ status: "error", error: { code: "unavailable", retryable: true } });
    expect(steps).toEqual(["begin", "finish"]);
    expect(await row()).toMatchObject({ state: "done" });
    expect(over.runs).toBe(0);
  });
});

describe("a write that must not begin any more", () => {
  it("is cancelled by a stop before it begins", async () => {
    const { over, process, invoke, stopCall, row } = setup();
    await stopCall();
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result.status).toBe("cancelled");
    expect(await row()).toMatchObject({ state: "done", result: { status: "cancelled" } });
    expect(over.prepares).toBe(0);
  });

  it("is cancelled by a stop that comes before it is sent", async () => {
    const { over, process, invoke, stopCall } = setup();
    over.onPrepare = () => stopCall();
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result.status).toBe("cancelled");
    expect(over.runs).toBe(0);
  });

  it("is completed when the stop comes after it was sent", async () => {
    const { over, process, invoke, stopCall } = setup();
    over.onRun = async (_, effect) => {
      await stopCall();
      effect();
      return "paid";
    };
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result).toMatchObject({ status: "ok", content: "paid" });
  });

  it("is dropped without an answer or a trace if it comes too late", async () => {
    const { over, process, invoke, clock, row } = setup();
    const sent = await invoke("pay", ARGS, { notAfter: clock.now + 1000 });
    clock.now += 1001;
    const worker = process();
    expect(await worker.deliver(sent)).toEqual({ kind: "ack" });
    expect(worker.answers).toEqual([]);
    expect(await row()).toBeNull();
    expect(over.prepares).toBe(0);
  });

  it("is dropped if it would be sent too late", async () => {
    const { over, process, invoke, clock, row } = setup();
    over.onPrepare = () => void (clock.now += 1001);
    const worker = process();
    expect(await worker.deliver(await invoke("pay", ARGS, { notAfter: clock.now + 1000 }))).toEqual({ kind: "ack" });
    expect(worker.answers).toEqual([]);
    expect(await row()).toMatchObject({ state: "begun", lease: null });
    expect(over.runs).toBe(0);
  });

  it("is not sent by a process that was paused past its lease", async () => {
    const { over, process, invoke, clock } = setup();
    const worker = process({ afterCommit: (step) => void (clock.now += step === "sending" ? LEASE : 0) });
    expect(await worker.deliver(await invoke("pay", ARGS))).toMatchObject({ kind: "retry" });
    expect(over.runs).toBe(0);
  });
});
