import { keys } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { bench } from "../testing/bench.ts";
import { pay, type PayArgs, target } from "../testing/target.ts";
import { toolset } from "../tool/toolset.ts";
import { workerTimings } from "../worker-timings.ts";

const TIMEOUT_MS = 1000;
/** An attempt prepares, runs and asks the target. If it died, its lease must also end. */
const LONGEST_MS = 3 * TIMEOUT_MS + workerTimings.leaseMs;
const OTHER_RUN = "rn_04_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const byPayee = ({ to }: PayArgs): string => `account:${to}`;

/** Sets up payments of two runs. The target delays each payment until it is released. */
function setup(resource?: (args: PayArgs) => string) {
  const over = target();
  const [reached, held]: [(() => void)[], (() => void)[]] = [[], []];
  over.onRun = async (_, effect) => {
    reached.shift()?.();
    await new Promise<void>((resolve) => held.push(resolve));
    effect();
    return { paid: true };
  };
  const idempotency = { mode: "key", keepsForMs: 86_400_000 } as const;
  const made = bench(toolset({ name: "orders", tools: [pay(over, idempotency, TIMEOUT_MS, resource ? { resource } : {})] }));
  return {
    ...made,
    over,
    ofOneRun: () => made.invoke("pay", { amount: 1, to: "ann" }),
    ofAnother: (to = "ann") => made.invoke("pay", { amount: 2, to }, { run: OTHER_RUN }),
    /** Resolves when the next payment reaches the target. */
    reaches: () => new Promise<void>((resolve) => reached.push(resolve)),
    letGo: () => held.splice(0).forEach((resolve) => resolve()),
  };
}

const BUSY = { kind: "retry", reason: "another write on the same resource is under way" };

describe("writes of two runs on one resource", () => {
  it("run one after another, on any replica", async () => {
    const { process, ofOneRun, ofAnother, reaches, letGo, over } = setup(byPayee);
    const [left, right] = [process(), process()];
    const [first, begun] = [await ofOneRun(), reaches()];
    const done = left.deliver(first);
    await begun;
    const second = await ofAnother();
    expect(await right.deliver(second)).toMatchObject(BUSY);
    expect([over.prepares, over.runs]).toEqual([1, 1]);
    letGo();
    expect(await done).toEqual({ kind: "ack" });
    const next = reaches();
    const after = right.deliver(second, 2);
    await next;
    letGo();
    expect(await after).toEqual({ kind: "ack" });
    expect([...left.read(), ...right.read()].map(({ result }) => result.status)).toEqual(["ok", "ok"]);
  });

  it("wait in their worker while the other write is short, and need not return to the queue", async () => {
    const { process, ofOneRun, ofAnother, reaches, letGo } = setup(byPayee);
    // The waits are so many that the test ends long before them.
    const worker = process({ timings: { ...workerTimings, turnHereMs: Array<number>(1000).fill(10) } });
    const begun = reaches();
    const first = worker.deliver(await ofOneRun());
    await begun;
    const next = reaches();
    const second = worker.deliver(await ofAnother());
    letGo();
    await next;
    letGo();
    expect(await Promise.all([first, second])).toEqual([{ kind: "ack" }, { kind: "ack" }]);
  });

  it("wait in the queue shortly at first, because most writes are short, and later longer", async () => {
    const { process, ofOneRun, ofAnother, reaches, letGo } = setup(byPayee);
    const [worker, begun] = [process(), reaches()];
    const done = worker.deliver(await ofOneRun());
    await begun;
    const second = await ofAnother();
    const waits: unknown[] = [];
    for (let count = 1; count <= 8; count++) waits.push(await worker.deliver(second, count));
    expect(waits).toEqual([250, 500, 1000, 2000, 2000, 2000, 5000, LONGEST_MS].map((after) => ({ ...BUSY, after })));
    letGo();
    await done;
  });

  it.each([
    ["they touch different ones", byPayee, "bob"],
    ["their tool names none", undefined, "ann"],
  ])("run at the same time where %s", async (_, resource, to) => {
    const { process, ofOneRun, ofAnother, reaches, letGo } = setup(resource);
    const worker = process();
    const both = [reaches(), reaches()];
    const done = [worker.deliver(await ofOneRun()), worker.deliver(await ofAnother(to))];
    await Promise.all(both);
    letGo();
    expect(await Promise.all(done)).toEqual([{ kind: "ack" }, { kind: "ack" }]);
  });

  it("wait for the call of a dead worker, which continues first", async () => {
    const { process, ofOneRun, ofAnother, reaches, letGo, clock, over } = setup(byPayee);
    const dead = process({ dieAfter: "sending" });
    const first = await ofOneRun();
    void dead.deliver(first);
    await dead.died;
    const [worker, second] = [process(), await ofAnother()];
    expect(await worker.deliver(second)).toMatchObject(BUSY);
    clock.now += workerTimings.leaseMs;
    expect(await worker.deliver(second, 2)).toMatchObject(BUSY);
    const goesOn = reaches();
    const done = worker.deliver(first, 2);
    await goesOn;
    expect(await worker.deliver(second, 3)).toMatchObject(BUSY);
    letGo();
    expect(await done).toEqual({ kind: "ack" });
    expect(over.effects.size).toBe(1);
    const next = reaches();
    const after = worker.deliver(second, 4);
    await next;
    letGo();
    expect(await after).toEqual({ kind: "ack" });
  });

  it("wait for a call that nobody continues no longer than an attempt can last", async () => {
    const { process, ofOneRun, ofAnother, reaches, letGo, clock } = setup(byPayee);
    const dead = process({ dieAfter: "sending" });
    void dead.deliver(await ofOneRun());
    await dead.died;
    const [worker, second] = [process(), await ofAnother()];
    clock.now += LONGEST_MS - 1;
    expect(await worker.deliver(second)).toMatchObject({ ...BUSY, after: 1 });
    clock.now += 1;
    const next = reaches();
    const after = worker.deliver(second, 2);
    await next;
    letGo();
    expect(await after).toEqual({ kind: "ack" });
  });

  it("are left to the agent's timer after too many redeliveries", async () => {
    const { process, ofOneRun, ofAnother, reaches, letGo } = setup(byPayee);
    const [worker, begun] = [process(), reaches()];
    const done = worker.deliver(await ofOneRun());
    await begun;
    const second = await ofAnother();
    expect(await worker.deliver(second, 8)).toMatchObject(BUSY);
    expect(await worker.deliver(second, 9)).toEqual({ kind: "ack" });
    expect(worker.answers).toEqual([]);
    letGo();
    await done;
  });

  it("ignore a turn that no worker can have written", async () => {
    const { process, ofOneRun, reaches, letGo, state, clock } = setup(() => "one");
    const worker = process();
    const resource = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    const key = keys.resource("orders", "0d", resource);
    await state.commit("0d", {
      op: "forged",
      guards: [{ key, version: 0 }],
      put: [{ key, value: { callId: "nobody", until: clock.now + LONGEST_MS + 1 } }],
    });
    const begun = reaches();
    const done = worker.deliver(await ofOneRun());
    await begun;
    letGo();
    expect(await done).toEqual({ kind: "ack" });
  });
});
