import { approvalIdOf, attributes, messageTypes } from "@toolbus/contracts";
import { canonicalJson, verifyReceipt } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { bench, type InvokeOptions, receiptKeys } from "./testing/bench.ts";
import { orders, pay, target } from "./testing/target.ts";
import { toolError } from "./tool-problem.ts";
import { toolset } from "./toolset.ts";
import { workerTimings } from "./worker-timings.ts";

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
    expect(answer?.result).toMatchObject({ status: "ok", content: '{"paid":true}', metadata: { tool: "pay", agent: "tester", ok: true, attempt: 1, traceId: "0af7651916cd43dd8448eb211c80319c" } });
    const stored = await row();
    expect(stored).toMatchObject({ state: "done", fence: 1, lease: null, jti: approvalIdOf(callId()), result: { status: "ok" } });
    expect(stored?.prepared).toBeUndefined();
    const receipt = await verifyReceipt({ receipt: answer?.receipt ?? "", keys: receiptKeys, expected: { callId: callId(), toolset: "orders" } });
    expect(receipt.kind).toBe("genuine");
  });

  it("gives the stored result when its grant is used again, and does not run again", async () => {
    const { over, process, invoke } = setup();
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    await worker.deliver(await invoke("pay", ARGS, { dispatch: 2 }));
    expect(over.runs).toBe(1);
    const [first, second] = worker.read();
    expect(second?.result).toEqual(first?.result);
    expect(worker.answers.map(({ id }) => id.split("#")[1])).toEqual(["r1", "r2"]);
  });

  it("is run once although its commits' replies are lost", async () => {
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

  it("after begin: nobody waits when the store knows that its owner is dead", async () => {
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

describe("a write that the target can be asked about", () => {
  const crashed = async () => {
    const made = setup({ mode: "reconcile" });
    const sent = await made.invoke("pay", ARGS);
    const first = made.process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    return { ...made, sent, second: made.process() };
  };

  it("is done when it happened", async () => {
    const { over, sent, second } = await crashed();
    over.answer = () => ({ kind: "happened", content: { id: 7 } });
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result).toMatchObject({ status: "ok", content: '{"id":7}' });
    expect(over.runs).toBe(0);
  });

  it("is not executed when the target refuses the attempt from now on", async () => {
    const { over, sent, second } = await crashed();
    over.answer = () => ({ kind: "voided" });
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result.status).toBe("not_executed");
    expect(over.runs).toBe(0);
  });

  it("is unknown when the target does not know", async () => {
    const { over, sent, second } = await crashed();
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over.runs).toBe(0);
  });

  it("is asked about again when the question failed, and given up after five attempts", async () => {
    const { over, sent, second } = await crashed();
    over.answer = () => Promise.reject(new Error("no connection"));
    for (let count = 2; count <= 4; count++) expect(await second.deliver(sent, count)).toMatchObject({ kind: "retry" });
    await second.deliver(sent, 5);
    expect(second.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over).toMatchObject({ runs: 0, reconciles: 4 });
  });

  it("is asked about at once when its run fails", async () => {
    const { over, process, invoke } = setup({ mode: "reconcile" });
    over.onRun = (_, effect) => {
      effect();
      throw new Error("connection reset");
    };
    over.answer = () => ({ kind: "happened", content: "yes" });
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result).toMatchObject({ status: "ok", content: "yes" });
  });
});

describe("a write whose run fails", () => {
  it("is repeated with the same key and back-off, and unknown after five attempts", async () => {
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
    expect(waits.map((d) => (typeof d === "object" && d !== null && "after" in d ? d.after : "ack"))).toEqual([1000, 5000, 30_000, 30_000, "ack"]);
    expect(keys).toEqual(Array.from({ length: 5 }, () => callId()));
    expect(worker.read()[0]?.result.status).toBe("outcome_unknown");
    expect(over.prepares).toBe(1);
  });

  it("is an error when the target refused, and then is over", async () => {
    const { over, process, invoke, row } = setup();
    over.onRun = () => toolError("account_closed", "The account is closed.", { effect: "none" });
    const worker = process();
    expect(await worker.deliver(await invoke("pay", ARGS))).toEqual({ kind: "ack" });
    expect(worker.read()[0]?.result).toMatchObject({ status: "error", error: { code: "account_closed", class: "ToolUserError" } });
    expect((await row())?.state).toBe("done");
  });

  it("stays open when only a later attempt was refused: the first may have got through", async () => {
    const { over, process, invoke } = setup();
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    over.onRun = () => toolError("account_closed", "The account is closed.", { effect: "none" });
    expect(await process().deliver(sent, 2)).toMatchObject({ kind: "retry" });
  });

  it("is unknown at once when nothing may be repeated, a time-out included", async () => {
    const over = target();
    const { process, invoke } = bench(toolset({ name: "orders", tools: [pay(over, { mode: "none" }, 20)] }));
    over.onRun = () => new Promise(() => undefined);
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS));
    expect(worker.read()[0]?.result.status).toBe("outcome_unknown");
  });

  it("is repeated after a time-out when the target honours the key", async () => {
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

  it("is seen through when the stop comes after it was sent", async () => {
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

  it("is dropped without an answer or a trace when it comes too late", async () => {
    const { over, process, invoke, clock, row } = setup();
    const sent = await invoke("pay", ARGS, { notAfter: clock.now + 1000 });
    clock.now += 1001;
    const worker = process();
    expect(await worker.deliver(sent)).toEqual({ kind: "ack" });
    expect(worker.answers).toEqual([]);
    expect(await row()).toBeNull();
    expect(over.prepares).toBe(0);
  });

  it("is dropped when it would be sent too late", async () => {
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

describe("a write without a genuine grant", () => {
  const forgeries: Readonly<Record<string, InvokeOptions>> = {
    missing: { grant: "none" },
    malformed: { grant: "garbage" },
    audience: { grant: { aud: "tb-executor:billing" } },
    tool: { grant: { tool: "pay_all" } },
    arguments: { grant: { argsHash: `sha256-${"A".repeat(43)}` } },
    "self approval": { grant: { requester: "approver:0" } },
    "too few approvers": { grant: { approvers: [] } },
    "a lower tier": { grant: { tier: "low" } },
  };

  for (const [name, options] of Object.entries(forgeries)) {
    it(`is dropped with a security record and no answer: ${name}`, async () => {
      const { over, process, invoke, row, security, callId } = setup();
      const worker = process();
      expect(await worker.deliver(await invoke("pay", ARGS, options))).toEqual({ kind: "ack" });
      expect(worker.answers).toEqual([]);
      expect(over).toMatchObject({ prepares: 0, runs: 0 });
      expect(await row()).toBeNull();
      expect(await security()).toEqual([expect.objectContaining({ callId: callId(), tool: "pay", service: "worker.orders" })]);
    });
  }

  it("is dropped when the grant is of another call", async () => {
    const { process, invoke, security, callId } = setup();
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS, { grant: { callId: callId(1) } }));
    expect(worker.answers).toEqual([]);
    expect(await security()).toHaveLength(1);
  });

  it("is dropped when the ledger has the call with other arguments, whatever was granted", async () => {
    const { over, process, invoke, security, clock } = setup();
    const first = process({ dieAfter: "begin" });
    void first.deliver(await invoke("pay", ARGS));
    await first.died;
    clock.now += LEASE;
    const second = process();
    await second.deliver(await invoke("pay", { amount: 9, to: "ann" }, { dispatch: 2 }));
    expect(second.answers).toEqual([]);
    expect(await security()).toEqual([expect.objectContaining({ reason: "conflict" })]);
    expect(over.runs).toBe(0);
  });

  it("records every one of many at once", async () => {
    const { process, invoke, security } = setup();
    const worker = process();
    const forged = await Promise.all(Array.from({ length: 10 }, (_, index) => invoke("pay", ARGS, { index, grant: "none" })));
    await Promise.all(forged.map((message) => worker.deliver(message)));
    expect(await security()).toHaveLength(10);
  });
});

describe("a write whose grant is genuine but stale", () => {
  it("is answered so that the agent asks again: expired, of an older era, of another definition", async () => {
    for (const [reason, prepare] of [
      ["expired", async ({ clock }: ReturnType<typeof setup>) => void (clock.now += 905_000)],
      ["era", ({ raiseEra }: ReturnType<typeof setup>) => raiseEra()],
      ["tool_hash", async () => undefined],
    ] as const) {
      const made = setup();
      const sent = await made.invoke("pay", ARGS, reason === "tool_hash" ? { grant: { toolHash: `sha256-${"A".repeat(43)}` } } : {});
      await prepare(made);
      const worker = made.process();
      expect(await worker.deliver(sent)).toEqual({ kind: "ack" });
      expect(worker.answers).toMatchObject([{ type: messageTypes.grantStale, topic: "tool.result.tester" }]);
      expect(worker.answers[0]?.body).toContain(reason);
      expect(worker.answers[0]?.attributes[attributes.secretHash]).toBeDefined();
      expect(await made.security()).toEqual([]);
      expect(made.over.prepares).toBe(0);
    }
  });

  it("goes on when it was sent while the grant was fresh", async () => {
    const { over, process, invoke, clock } = setup();
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    clock.now += 3_600_000;
    const second = process();
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result.status).toBe("ok");
    expect(over.runs).toBe(1);
  });

  it("gets its stored result when it was done", async () => {
    const { process, invoke, clock } = setup();
    const sent = await invoke("pay", ARGS);
    const worker = process();
    await worker.deliver(sent);
    clock.now += 3_600_000;
    await worker.deliver(sent, 2);
    expect(worker.read().map(({ result }) => result.status)).toEqual(["ok", "ok"]);
  });
});

describe("duplicates of one write", () => {
  it("racing in four processes have exactly one effect and one result", async () => {
    for (const idempotency of [{ mode: "key", keepsForMs: 60_000 }, { mode: "none" }] as const) {
      const { over, process, invoke, callId, clock } = setup(idempotency);
      const workers = Array.from({ length: 4 }, () => process());
      const sent = await Promise.all(Array.from({ length: 20 }, (_, i) => invoke("pay", ARGS, { dispatch: i + 1 })));
      let open = sent.map((message, i) => ({ message, worker: workers[i % 4], count: 1 }));
      while (open.length > 0) {
        const ended = await Promise.all(open.map(async (d) => ({ ...d, disposition: await d.worker?.deliver(d.message, d.count) })));
        open = ended.filter(({ disposition }) => disposition?.kind === "retry").map((d) => ({ ...d, count: d.count + 1 }));
        clock.now += 1000;
      }
      expect(over.effects).toEqual(new Map([[callId(), 1]]));
      const results = workers.flatMap((worker) => worker.read().map(({ result }) => canonicalJson(JSON.parse(JSON.stringify(result)))));
      expect(results).toHaveLength(20);
      expect(new Set(results).size).toBe(1);
    }
  });
});

describe("the lease of a write", () => {
  it("is renewed while the target works, and the signal aborts when it is lost", async () => {
    const { over, process, invoke, row, clock, state, steps } = setup();
    const renewed = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<unknown>();
    over.onRun = ({ signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason), { once: true });
      return new Promise(() => undefined);
    };
    const worker = process({ timings: { ...workerTimings, leaseMs: 200, renewMs: 10 } });
    const ticking = setInterval(() => {
      clock.now += 10;
      if (steps.some((step) => step === "renew-3")) renewed.resolve();
    }, 10);
    const delivered = worker.deliver(await invoke("pay", ARGS));
    await renewed.promise;
    expect((await row())?.lease?.until).toBeGreaterThan(clock.now);
    const key = `tb:ledger.orders:{03}:${(await row())?.callId ?? ""}`;
    for (let taken = false; !taken; ) {
      const { documents } = await state.read([key]);
      const stored = documents[0];
      if (!stored) throw new Error("there is no row");
      taken = (await state.commit("03", { op: "take", guards: [{ key, version: stored.version }], put: [{ key, value: stored.value }] })).outcome === "ok";
    }
    expect(await aborted.promise).toMatchObject({ message: "Another attempt at this call has taken over." });
    expect(await delivered).toMatchObject({ kind: "retry" });
    clearInterval(ticking);
    expect(worker.answers).toEqual([]);
  });
});

/** Lets the effect happen, and then nothing more: the process is as good as dead. */
function hangAfterEffect(over: ReturnType<typeof target>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  over.onRun = (_, effect) => {
    effect();
    resolve();
    return new Promise(() => undefined);
  };
  return promise;
}
