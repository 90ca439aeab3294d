import { keys } from "@toolbus/contracts";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { until } from "../testing/approvals-under-test.ts";
import { chainUnderTest } from "../testing/chain-under-test.ts";
import { type Chainer, startChainer } from "./chainer.ts";
import type { CopyRecords } from "./copy-records.ts";

describe("chainers of several replicas", () => {
  it("copy under a lease: one works, and another takes over when the first has died", async () => {
    await using t = setup();
    const first = t.start("first");
    await t.append("03", { event: "held", tenant: "acme", name: "one" });
    await until(async () => (await t.chain("acme")).length === 1);
    const second = t.start("second");
    // The first chainer dies. It does nothing more and does not release its lease.
    first.die();
    await t.append("03", { event: "held", tenant: "acme", name: "two" });
    await until(async () => second.looks() > 2);
    expect(await t.chain("acme")).toHaveLength(1);
    t.clock.now += 16_000;
    await until(async () => (await t.chain("acme")).length === 2);
    expect(await t.faults("acme")).toEqual([]);
    expect(second.steps()).toBeGreaterThan(0);
  });

  it("release the lease when they stop, so that another one goes on at once", async () => {
    await using t = setup();
    const first = t.start("first");
    await t.append("03", { event: "held", tenant: "acme", name: "one" });
    await until(async () => (await t.chain("acme")).length === 1);
    await first.chainer.stop();
    t.start("second");
    await t.append("03", { event: "held", tenant: "acme", name: "two" });
    await until(async () => (await t.chain("acme")).length === 2);
  });

  it("copy the records of their own commits soon, without a look at all shards", async () => {
    await using t = setup();
    const only = t.start("only", 3_600_000);
    await until(async () => only.steps() > 0);
    await t.append("0a", { event: "held", tenant: "acme", name: "one" });
    only.chainer.soon("0a");
    await until(async () => (await t.chain("acme")).length === 1);
  });

  it("chain nothing on a chain whose end somebody removed or forged, and say so once", async () => {
    await using t = setup();
    await t.append("03", { event: "held", tenant: "acme", name: "one" });
    const first = t.start("first");
    await until(async () => (await t.chain("acme")).length === 1);
    await first.chainer.stop();
    await t.forgeEnd("acme", { n: 7, hash: "sha256-of-nothing", at: 0 });
    await t.append("03", { event: "held", tenant: "acme", name: "two" });
    const second = t.start("second");
    await until(async () => second.errors.length > 0 && second.looks() > 3);
    expect(await t.chain("acme")).toHaveLength(1);
    expect(second.errors).toHaveLength(1);
  });
});

function setup() {
  const clock = { now: 1_800_000_000_000 };
  const store = memoryStore({ clock: () => clock.now });
  const chains = chainUnderTest(store);
  const running: Chainer[] = [];
  let ids = 0;
  return {
    ...chains,
    clock,
    /** Starts the chainer of another replica. `die` stops it at once, as a kill does. */
    start(name: string, everyMs = 5) {
      let [dead, looks, steps] = [false, 0, 0];
      const errors: object[] = [];
      const never = new Promise<never>(() => undefined);
      const copy = chains.chainer();
      const counted: CopyRecords = {
        step: (shard) => {
          steps++;
          return dead ? never : copy.step(shard);
        },
      };
      const state = {
        ...store,
        read: (names: readonly string[]) => {
          looks++;
          return dead ? never : store.read(names);
        },
      };
      const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
      const chainer = startChainer({ state, copy: counted, newId: () => `${name}-${++ids}`, log, everyMs, soonMs: 1 });
      // A dead process cannot be stopped in an orderly way.
      running.push({ ...chainer, stop: async () => void (dead || (await chainer.stop())) });
      return { chainer, errors, looks: () => looks, steps: () => steps, die: () => void (dead = true) };
    },
    async forgeEnd(tenant: string, value: { readonly n: number; readonly hash: string; readonly at: number }): Promise<void> {
      const key = keys.auditHead(tenant);
      const { documents } = await store.read([key]);
      await store.commit("00", { op: "forge", guards: [{ key, version: documents[0]?.version ?? 0 }], put: [{ key, value }] });
    },
    async [Symbol.asyncDispose]() {
      for (const chainer of running) await chainer.stop();
      await store.close();
    },
  };
}
