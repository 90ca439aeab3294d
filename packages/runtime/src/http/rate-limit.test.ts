import { memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import type { Principal } from "./api-keys.ts";
import { rateLimit, type Taken } from "./rate-limit.ts";

const MINUTE = 60_000;
const una = principal("una");

describe("a rate limit", () => {
  it("allows a caller a number per minute, and says when there are more", async () => {
    const t = setup(3);
    expect(await take(t.limit, una, 3)).toEqual([
      { granted: true, remaining: 2, resetMs: MINUTE },
      { granted: true, remaining: 1, resetMs: MINUTE },
      { granted: true, remaining: 0, resetMs: MINUTE },
    ]);
    t.clock.now += 20_000;
    expect(await t.limit.take(una)).toEqual({ granted: false, remaining: 0, resetMs: 40_000 });
    t.clock.now += 40_000;
    expect(await t.limit.take(una)).toEqual({ granted: true, remaining: 2, resetMs: MINUTE });
  });

  it("begins a new minute for a caller who has not used up the last one", async () => {
    const t = setup(3);
    await take(t.limit, una, 2);
    t.clock.now += MINUTE;
    expect((await t.limit.take(una)).remaining).toBe(2);
  });

  it("counts every principal of every tenant separately", async () => {
    const t = setup(1);
    expect((await t.limit.take(una)).granted).toBe(true);
    expect((await t.limit.take(principal("ugo"))).granted).toBe(true);
    expect((await t.limit.take(principal("una", "other"))).granted).toBe(true);
    expect((await t.limit.take(una)).granted).toBe(false);
  });

  it("counts kinds with different names separately", async () => {
    const t = setup(1);
    await t.limit.take(una);
    expect((await t.another("other things").take(una)).granted).toBe(true);
  });

  it("applies to all processes over one store together, however they race", async () => {
    const t = setup(10);
    const taken = await Promise.all([t.limit, t.another(), t.another()].map((limit) => take(limit, una, 10, "together")));
    expect(taken.flat().filter(({ granted }) => granted)).toHaveLength(10);
    expect((await t.another().take(una)).granted).toBe(false);
  });

  it("counts a burst in one commit, and a request of a known caller without a read", async () => {
    const t = setup(100);
    await t.limit.take(una);
    t.asked.length = 0;
    await t.limit.take(una);
    expect(t.asked).toEqual(["commit"]);
    t.asked.length = 0;
    await take(t.limit, una, 50, "together");
    // There are only two commits, because the other requests arrive while the first is pending.
    expect(t.asked).toEqual(["commit", "commit"]);
  });

  it("leaves nothing behind when its minute is over", async () => {
    const t = setup(5);
    await t.limit.take(una);
    const key = t.keys[0] ?? "";
    expect((await t.store.read([key])).documents[0]?.value).toEqual({ startedAt: t.clock.now, count: 1 });
    t.clock.now += MINUTE;
    expect((await t.store.read([key])).documents).toEqual([null]);
    expect(key).toMatch(/^tb:rate\.test:\{[0-9a-f]{2}\}:things:[0-9a-f]{32}$/);
  });

  it("reports that the store is unavailable, and continues when it is back", async () => {
    const t = setup(5);
    t.fault.now = new StoreUnavailable("gone");
    await expect(take(t.limit, una, 2, "together")).rejects.toThrow("gone");
    t.fault.now = null;
    expect((await t.limit.take(una)).remaining).toBe(4);
  });
});

function setup(perMinute: number) {
  const clock = { now: 1_750_000_000_000 };
  const store = memoryStore({ clock: () => clock.now });
  const asked: string[] = [];
  const keys: string[] = [];
  const fault: { now: Error | null } = { now: null };
  const state: StateStore = {
    ...store,
    read(wanted) {
      asked.push("read");
      return fault.now ? Promise.reject(fault.now) : store.read(wanted);
    },
    commit(shard, change) {
      asked.push("commit");
      keys.push(...(change.put ?? []).map(({ key }) => key));
      return fault.now ? Promise.reject(fault.now) : store.commit(shard, change);
    },
  };
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const another = (name = "things") => rateLimit({ state, service: "test", name, words: `do ${perMinute} things`, perMinute, random });
  return { clock, store, asked, keys, fault, another, limit: another() };
}

async function take(
  limit: ReturnType<typeof rateLimit>,
  who: Principal,
  times: number,
  how: "together" | "apart" = "apart",
): Promise<Taken[]> {
  const all = Array.from({ length: times });
  if (how === "together") return Promise.all(all.map(() => limit.take(who)));
  const taken: Taken[] = [];
  for (const _ of all) taken.push(await limit.take(who));
  return taken;
}

function principal(id: string, tenant = "acme"): Principal {
  return { id, tenant, roles: ["user"], scopes: [], keyId: id };
}
