import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../redteam/http.ts";
import { othersRuns } from "../redteam/others-runs.ts";
import { textIn } from "../redteam/text-in.ts";
import { atATime } from "./at-a-time.ts";
import { faultsOf, startWatchedSystem, type WatchedSystem } from "./watched-system.ts";

const LOOKS = 5000;

describe("an approver who keeps reading one approval, each service in a separate process", () => {
  let watched: WatchedSystem;
  beforeAll(async () => {
    watched = await startWatchedSystem("nats");
  });
  afterAll(() => watched?.[Symbol.asyncDispose]());

  it(`leaves one token in the store after ${LOOKS} looks, and the token decides`, async () => {
    const { arena, system } = watched;
    const write = await arena.held("high", { payee: "BAKERY", amount: 41 });
    const url = arena.approvals(`/v1/approvals/${encodeURIComponent(write.approvalId)}`);
    const before = await memory();
    const watch = watched.watch();
    const others = othersRuns(arena);
    const began = performance.now();
    const given = new Set<string>();
    await atATime(50, LOOKS, async () => {
      const { status, body } = await ask(url, system.people.amy);
      if (status !== 200) throw new Error(`Approvals answered ${status}: ${JSON.stringify(body)}`);
      given.add(textIn(body["decisionToken"]));
    });
    const took = performance.now() - began;
    const tokens = await stored();
    const ends = await others.end();
    const health = await watch.end();
    console.log(
      `${LOOKS} looks at one approval in ${Math.round(took)} ms: ${tokens} token in the store, ${(await memory()) - before} KiB more in Redis; ` +
        `${ends.length} runs of others, each done; slowest /healthz: ${JSON.stringify(health.slowest)}`,
    );
    expect({ tokens, given: given.size }).toEqual({ tokens: 1, given: 1 });
    expect(faultsOf(watched, health)).toEqual([]);
    expect(ends.filter((end) => end !== "run.completed ok")).toEqual([]);

    // Another approver receives a token of their own, so the first approver's token stays valid.
    await ask(url, system.people.ben);
    expect(await stored()).toBe(2);
    expect(await arena.decide(write, "approve")).toMatchObject({ status: 200, body: { status: "approved" } });
    expect((await arena.ended(write.runId)).at(-1)).toMatchObject({ type: "run.completed" });
    expect(system.target.journal().filter(({ callId }) => callId === write.callId)).toHaveLength(1);
  });

  async function stored(): Promise<number> {
    return Number(await watched.arena.eye.redis("EVAL", "return #redis.call('KEYS', 'tb:token:*')", "0"));
  }

  async function memory(): Promise<number> {
    const info = String(await watched.arena.eye.redis("INFO", "memory"));
    return Math.round(Number(/^used_memory:(\d+)/m.exec(info)?.[1]) / 1024);
  }
});
