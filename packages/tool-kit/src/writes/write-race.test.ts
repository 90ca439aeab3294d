import { canonicalJson } from "@toolbus/grants";
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

describe("two processes at the very same step", () => {
  it("never mistake each other's commit for their own", async () => {
    const { over, process, invoke, callId } = setup({ mode: "none" });
    const barrier = meetingPoint(2);
    const sent = [await invoke("pay", ARGS), await invoke("pay", ARGS, { dispatch: 2 })];
    const ended = await Promise.all(sent.map((message) => process({ beforeCommit: barrier }).deliver(message)));
    expect(over.effects).toEqual(new Map([[callId(), 1]]));
    expect(ended.map(({ kind }) => kind).toSorted()).toEqual(["ack", "retry"]);
  });

  it("do not take over from each other when one message came twice for the first time", async () => {
    const { over, process, invoke } = setup({ mode: "none" });
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "begin" });
    void first.deliver(sent);
    await first.died;
    expect(await process().deliver(sent, 1)).toMatchObject({ kind: "retry", after: LEASE });
    expect(over.prepares).toBe(0);
  });
});

describe("a lease of a worker that died", () => {
  it("ends at once if the broker redelivers the message of that worker, and not if it redelivers another message of the call", async () => {
    const { over, process, invoke, callId } = setup({ mode: "none" });
    const [own, other] = [await invoke("pay", ARGS), await invoke("pay", ARGS, { dispatch: 2 })];
    const first = process({ dieAfter: "begin" });
    void first.deliver(own);
    await first.died;
    expect(await process().deliver(other, 2)).toMatchObject({ kind: "retry", after: LEASE });
    expect(over.prepares).toBe(0);
    expect(await process().deliver(own, 2)).toMatchObject({ kind: "ack" });
    expect(over.effects).toEqual(new Map([[callId(), 1]]));
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
    for (let taken = false; !taken;) {
      const { documents } = await state.read([key]);
      const stored = documents[0];
      if (!stored) throw new Error("there is no row");
      taken =
        (await state.commit("03", { op: "take", guards: [{ key, version: stored.version }], put: [{ key, value: stored.value }] }))
          .outcome === "ok";
    }
    expect(await aborted.promise).toMatchObject({ message: "Another attempt at this call has taken over." });
    expect(await delivered).toMatchObject({ kind: "retry" });
    clearInterval(ticking);
    expect(worker.answers).toEqual([]);
  });
});

/**
 * Delays the `begin` and `sending` commits of `size` processes until all of them have arrived. A single process at `sending` continues after 100 ms.
 */
function meetingPoint(size: number): (step: string) => Promise<void> | undefined {
  const steps = new Map<string, { readonly all: PromiseWithResolvers<void>; here: number }>();
  return (step) => {
    if (step !== "begin" && step !== "sending") return undefined;
    const met = steps.get(step) ?? { all: Promise.withResolvers<void>(), here: 0 };
    steps.set(step, met);
    if (++met.here === size) met.all.resolve();
    // Only the winner of `begin` reaches `sending`.
    if (step === "sending") setTimeout(met.all.resolve, 100);
    return met.all.promise;
  };
}
