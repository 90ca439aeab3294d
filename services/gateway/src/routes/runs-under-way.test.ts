import { keys } from "@toolbus/contracts";
import { type StateStore, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { cancelled, completed } from "../testing/agent-under-test.ts";
import { apiKeyOf, type Asking, setup } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";
import { openRunsOf } from "../runs-under-way.ts";

const DAY = 86_400_000;
const INVESTIGATE = "/v1/investigations";
const RELEASE: Asking = { method: "POST", body: { releaseId: "v2" } };
const UNA = openRunsOf({ tenant: "acme", id: "una" });

describe("the limit of a principal's active runs", () => {
  it("may be one: the sentence says so in the singular", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "1" } });
    await t.accepted();
    expect((await t.ask("una", INVESTIGATE, RELEASE)).body["detail"]).toBe("This principal has 1 run under way, the maximum at a time.");
  });

  it("bounds messages and investigations together, with a sentence and when to retry", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "2" } });
    const id = await t.conversation();
    await t.accepted();
    await t.said("una", id);
    for (const [url, asking] of [
      [INVESTIGATE, RELEASE],
      [`/v1/conversations/${id}/messages`, { method: "POST", body: { text: "a" } }],
      [`/v1/conversations/${id}/messages`, { method: "POST", body: { text: "a" }, headers: { accept: "text/event-stream" } }],
    ] as const) {
      const refused = await t.ask("una", url, asking);
      expect(problemOf(refused)).toEqual({ status: 429, code: "rate_limited" });
      expect(refused.headers.get("retry-after")).toBe("10");
      expect(refused.body["detail"]).toBe("This principal has 2 runs under way, the maximum at a time.");
    }
    expect((await t.ask("una", "/v1/runs")).body["runs"]).toHaveLength(2);
    await t.accepted("ugo");
  });

  it("counts runs that have not ended, whether the agent has taken them or not", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "2" } });
    const [waits, runs] = [await t.accepted(), await t.accepted()];
    await t.agent.take(runs);
    const refused = async (): Promise<boolean> => (await t.ask("una", INVESTIGATE, RELEASE)).status === 429;
    expect(await refused()).toBe(true);
    await t.agent.say(runs, completed);
    const third = await t.accepted();
    expect(await refused()).toBe(true);
    await t.agent.take(waits);
    await t.agent.say(waits, cancelled);
    await t.accepted();
    expect(await refused()).toBe(true);
    expect(await t.ask("una", `/v1/runs/${third}`)).toMatchObject({ body: { status: "accepted" } });
  });

  it("counts an old run however many newer ones have ended", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "2" } });
    await t.accepted();
    for (let n = 0; n < 10; n++) {
      t.clock.now += 1000;
      const runId = await t.accepted();
      await t.agent.take(runId);
      await t.agent.say(runId, completed);
    }
    await t.accepted();
    expect((await t.ask("una", INVESTIGATE, RELEASE)).status).toBe(429);
    expect((await t.store.page(UNA, { limit: 100 })).members).toHaveLength(2);
  });

  it("is shared by all gateways over one store, also by one that restarts", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "2" } });
    const other = await t.start();
    const start = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${apiKeyOf("una")}`, "content-type": "application/json" };
      return (await fetch(other.url + INVESTIGATE, { method: "POST", headers, body: JSON.stringify(RELEASE.body) })).status;
    };
    try {
      await t.accepted();
      expect([await start(), await start()]).toEqual([202, 429]);
      expect((await t.ask("una", INVESTIGATE, RELEASE)).status).toBe(429);
    } finally {
      await other.stop();
    }
  });

  it("is not exceeded by simultaneous requests", async () => {
    // All requests check the limit before the first run is stored.
    const { promise: allLooked, resolve: release } = Promise.withResolvers<void>();
    let looks = 0;
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      page(...about) {
        if (++looks === 10) release();
        return state.page(...about);
      },
      async commit(shard, change) {
        if (change.op.startsWith("accept:")) await allLooked;
        return state.commit(shard, change);
      },
    });
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "3" }, wrapStore });
    const answers = await Promise.all(Array.from({ length: 10 }, () => t.ask("una", INVESTIGATE, RELEASE)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
  });

  it("gives a repeat of an Idempotency-Key its run", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "1" } });
    const runId = await t.accepted("una", "key-1");
    const again = await t.ask("una", INVESTIGATE, { ...RELEASE, headers: { "idempotency-key": "key-1" } });
    expect(again).toMatchObject({ status: 202, body: { runId } });
    const other = { method: "POST", body: { releaseId: "v3" }, headers: { "idempotency-key": "key-1" } };
    expect((await t.ask("una", INVESTIGATE, other)).status).toBe(422);
    expect((await t.ask("una", INVESTIGATE, RELEASE)).status).toBe(429);
  });

  it("frees the places of runs that no agent took in time", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "1" } });
    await t.accepted();
    t.clock.now += 2 * DAY;
    expect((await t.ask("una", INVESTIGATE, RELEASE)).status).toBe(429);
    t.clock.now += 1;
    await t.accepted();
  });

  it("holds when the setting was lowered, and leaves no list when there is no limit", async () => {
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "8" } });
    const runs: string[] = [];
    for (let n = 0; n < 6; n++) runs.push(await t.accepted());
    const lower = await t.start({ RUNS_PER_PRINCIPAL: "2" });
    const headers = { authorization: `Bearer ${apiKeyOf("una")}`, "content-type": "application/json" };
    const start = async () =>
      (await fetch(lower.url + INVESTIGATE, { method: "POST", headers, body: JSON.stringify(RELEASE.body) })).status;
    const end = async (runId: string) => {
      await t.agent.take(runId);
      await t.agent.say(runId, completed);
    };
    try {
      for (const runId of runs.slice(0, 4)) await end(runId);
      expect(await start()).toBe(429);
      await end(runs[4] ?? "");
      expect([await start(), await start()]).toEqual([202, 429]);
    } finally {
      await lower.stop();
    }
    await using free = await setup({ env: { RUNS_PER_PRINCIPAL: "0" } });
    for (let n = 0; n < 3; n++) await free.accepted();
    expect((await free.store.page(UNA, { limit: 10 })).members).toEqual([]);
  });

  it("costs a start one page of the store, and reads of runs only when the list is full", async () => {
    const asked: string[] = [];
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      page: (index, options) => (asked.push(`page ${index}`), state.page(index, options)),
      read: (names) => (asked.push(...names.map((name) => `read ${name}`)), state.read(names)),
      commit: (shard, change) => (asked.push("commit"), state.commit(shard, change)),
    });
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "3", WAKE_REPEAT_MS: String(DAY) }, wrapStore });
    const first = await t.accepted();
    asked.length = 0;
    await t.accepted();
    expect(asked.filter((each) => each.startsWith("page"))).toEqual([`page ${UNA}`]);
    expect(asked.filter((each) => each === "commit")).toHaveLength(1);
    expect(asked).not.toContain(`read ${keys.run(first)}`);
    await t.accepted();
    expect((await t.ask("una", INVESTIGATE, RELEASE)).status).toBe(429);
    expect(asked).toContain(`read ${keys.run(first)}`);
  });

  it("is looked up once for many starts while less than half of the places are used, and ended runs do not fill them", async () => {
    const pages: string[] = [];
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      page: (index, options) => (pages.push(index), state.page(index, options)),
    });
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "40" }, wrapStore });
    const end = async (runId: string) => {
      await t.agent.take(runId);
      await t.agent.say(runId, completed);
    };
    for (let n = 0; n < 60; n++) await end(await t.accepted());
    expect(pages.filter((index) => index === UNA).length).toBeLessThan(15);
    expect((await t.store.page(UNA, { limit: 100 })).members.length).toBeLessThan(40);
    const open: string[] = [];
    while (open.length < 40) open.push(await t.accepted());
    expect((await t.ask("una", INVESTIGATE, RELEASE)).status).toBe(429);
    await end(open[0] ?? "");
    await t.accepted();
    expect((await t.ask("una", INVESTIGATE, RELEASE)).status).toBe(429);
  });

  it("tries again to remove ended runs after the store did not answer", async () => {
    let fails = 1;
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      async commit(shard, change) {
        if (change.op.startsWith("ended:") && fails-- > 0) throw new StoreUnavailable("The store is away.");
        return state.commit(shard, change);
      },
    });
    await using t = await setup({ env: { RUNS_PER_PRINCIPAL: "1" }, wrapStore });
    const runId = await t.accepted();
    await t.agent.take(runId);
    await t.agent.say(runId, completed);
    expect((await t.ask("una", INVESTIGATE, RELEASE)).status).toBe(503);
    await t.accepted();
  });
});
