import { describe, expect, it } from "vitest";
import { type StoreLoss, storeLosses } from "./store-losses.ts";

describe("the losses of a store, as a process knows them", () => {
  it("are reported together, including those from before there was a receiver", async () => {
    const t = setup();
    t.losses.onRollback("03", 10);
    t.losses.onRollback("05", 0);
    t.losses.reportBy(t.tell);
    expect(await t.next()).toEqual([
      { shard: "03", seenAt: 10 },
      { shard: "05", seenAt: 0 },
    ]);
    t.losses.onRollback("03", 20);
    expect(await t.next()).toEqual([{ shard: "03", seenAt: 20 }]);
    expect(t.noticed).toHaveLength(3);
    await t.losses.stop();
  });

  it("count once, however often the same one is noticed", async () => {
    const t = setup();
    t.losses.onRollback("03", 10);
    t.losses.onRollback("03", 10);
    t.losses.onRollback("03", 9);
    expect(t.noticed).toEqual([{ shard: "03", seenAt: 10 }]);
    expect([t.losses.seenAt("03"), t.losses.seenAt("04")]).toEqual([10, undefined]);
  });

  it("are reported again until they are accepted, and a failure is logged once", async () => {
    const t = setup({ refusals: 3 });
    t.losses.onRollback("03", 10);
    t.losses.reportBy(t.tell);
    expect(await t.next()).toEqual([{ shard: "03", seenAt: 10 }]);
    expect(t.problems).toEqual([new Error("Nobody is there.")]);
    await t.losses.stop();
  });

  it("are not reported after the stop, not even during the wait for a retry", async () => {
    const t = setup({ refusals: Infinity, retryMs: 600_000 });
    t.losses.onRollback("03", 10);
    t.losses.reportBy(t.tell);
    await t.refused;
    await t.losses.stop();
    t.losses.onRollback("04", 10);
    await t.losses.stop();
    expect(t.problems).toHaveLength(1);
    expect(t.noticed).toHaveLength(2);
  });
});

function setup({ refusals = 0, retryMs = 1 } = {}) {
  const noticed: StoreLoss[] = [];
  const problems: unknown[] = [];
  const reported: (readonly StoreLoss[])[] = [];
  const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
  let wake = (): void => undefined;
  const onReportFailed = (error: unknown): void => {
    problems.push(error);
    refuse();
  };
  const losses = storeLosses({ onLoss: (loss) => void noticed.push(loss), onReportFailed, retryMs });
  return {
    losses,
    noticed,
    problems,
    refused,
    async tell(found: readonly StoreLoss[]): Promise<void> {
      if (refusals-- > 0) throw new Error("Nobody is there.");
      reported.push(found);
      wake();
    },
    async next(): Promise<readonly StoreLoss[]> {
      const first = reported.shift();
      if (first) return first;
      await new Promise<void>((resolve) => (wake = resolve));
      return this.next();
    },
  };
}
