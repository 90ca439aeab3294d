import { type Message, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { setup as setupGateway, until } from "../testing/gateway-under-test.ts";

const REPEAT_MS = 1000;

describe("the timer of a replay", () => {
  it("asks again, later each time, until the dead letter says that it was replayed, and is gone then", async () => {
    await using t = await setup();
    const id = await t.asks();
    await until(() => t.asked.length === 1);
    // The first repeat follows after one second. Each later pause is as long as the whole time before it.
    for (const [n, wait] of [
      [2, REPEAT_MS],
      [3, REPEAT_MS],
      [4, 2 * REPEAT_MS],
    ] as const) {
      t.clock.now += wait;
      await until(() => t.asked.length === n);
    }
    expect(new Set(t.asked.map((message) => message.id)).size).toBe(4);
    await t.letters.replayed(id);
    t.clock.now += 4 * REPEAT_MS;
    await until(() => t.over(id));
    expect(t.asked).toHaveLength(4);
    expect(await t.left()).toEqual([]);
  });

  it("drops an expired dead letter", async () => {
    await using t = await setup();
    const id = await t.asks();
    await until(() => t.asked.length === 1);
    await t.letters.expire(id);
    t.clock.now += REPEAT_MS;
    await until(() => t.over(id));
    expect(await t.left()).toEqual([]);
  });

  it("reaches a worker that starts later", async () => {
    await using t = await setup({ worker: false });
    const id = await t.asks();
    await t.consume();
    t.clock.now += REPEAT_MS;
    await until(() => t.asked.length > 0);
    expect(JSON.parse(t.asked[0]?.body ?? "")).toEqual({ letterId: id });
  });
});

/** Starts a gateway whose commits the test can see, and a worker of operations that only listens. */
async function setup({ worker = true } = {}) {
  const ops: string[] = [];
  const t = await setupGateway({
    env: { WAKE_REPEAT_MS: String(REPEAT_MS) },
    wrapStore: (store) => ({
      ...store,
      async commit(shard, change) {
        const reply = await store.commit(shard, change);
        if (reply.outcome === "ok") ops.push(change.op);
        return reply;
      },
    }),
  });
  const asked: Message[] = [];
  const consume = async (): Promise<void> =>
    void (await t.bus.consume(topics.operationsReplay, async ({ message }) => (asked.push(message), { kind: "ack" }), { concurrency: 1 }));
  if (worker) await consume();
  return {
    ...t,
    asked,
    consume,
    /** Stores a dead letter and asks for its replay. */
    async asks(): Promise<string> {
      const id = await t.letters.keep();
      const { status } = await t.ask("otto", `/v1/dead-letters/${id}/replay`, { method: "POST" });
      expect(status).toBe(202);
      return id;
    },
    over: (id: string): boolean => ops.includes(`replay-over:${id}`),
    /** Stops the gateway and returns the timers that it still has. */
    async left() {
      await t.service.stop();
      t.clock.now += 40 * 86_400_000;
      return (await t.store.claim("gateway", "timer", { limit: 10, visibleAfter: 0 })).map((row) => row.id);
    },
  };
}
