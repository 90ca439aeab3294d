import { memoryBus } from "@toolbus/bus";
import { keys, parseProfileList } from "@toolbus/contracts";
import { startOutbox } from "@toolbus/runtime";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { afterEach, describe, expect, it } from "vitest";
import { keepRegistered } from "./agent-presence.ts";
import { loadProfiles } from "./profiles/load-profiles.ts";

const opened: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part.stop();
});

async function setup() {
  const clock = { now: 1000 };
  const fresh = (): StateStore => memoryStore({ clock: () => clock.now });
  let store = fresh();
  let looks: (() => void)[] = [];
  const reported: string[] = [];
  const state: StateStore = {
    ...store,
    read: (...args) => store.read(...args),
    page: (...args) => store.page(...args),
    async commit(...args) {
      const reply = await store.commit(...args);
      if (args[1].op !== "look") reported.push(args[1].op);
      else for (const wake of looks.splice(0)) wake();
      return reply;
    },
  };
  const bus = memoryBus();
  const outbox = startOutbox({ state, bus, service: "agent", log: silentLog, visibilityMs: 60_000, pollMs: 60_000 });
  const lines: string[] = [];
  const log = { warn: (_: object, text: string) => void lines.push(text) };
  opened.push({ stop: () => bus.close() }, outbox);
  const profiles = [...(await loadProfiles("")).values()];
  opened.push(await keepRegistered({ state, outbox, log, agent: "scout", profiles, everyMs: 5 }));
  return {
    clock,
    lines,
    reported,
    async seenAt() {
      const list = parseProfileList((await store.read([keys.profiles("scout")])).documents[0]?.value);
      return list.ok ? list.value.seenAt : undefined;
    },
    empty: () => void (store = fresh()),
    breakDown(): () => void {
      const { commit } = state;
      Object.assign(state, { commit: async () => Promise.reject(new Error("away")) });
      return () => void Object.assign(state, { commit });
    },
    async looked(times: number): Promise<void> {
      for (let n = 0; n < times; n++) await new Promise<void>((resolve) => void (looks = [...looks, resolve]));
    },
    async known() {
      const { documents } = await store.read([keys.profiles("scout")]);
      const list = parseProfileList(documents[0]?.value);
      const { members } = await store.page(keys.agentIndex(), { limit: 10 });
      return { profiles: list.ok ? list.value.profiles.map(({ name }) => name) : [], agents: members.map(({ member }) => member) };
    },
  };
}

describe("an agent's presence", () => {
  it("announces its profiles and itself once, however often it checks", async () => {
    const t = await setup();
    await t.looked(3);
    expect(await t.known()).toMatchObject({ profiles: expect.arrayContaining(["chat", "direct"]) as string[], agents: ["scout"] });
    expect(t.reported).toHaveLength(1);
    expect(t.lines).toEqual([]);
  });

  it("sends heartbeats, unless another replica just did", async () => {
    const t = await setup();
    expect(await t.seenAt()).toBe(1000);
    t.clock.now += 2;
    await t.looked(2);
    expect(await t.seenAt()).toBe(1000);
    t.clock.now += 60_000;
    await expect.poll(() => t.seenAt()).toBe(61_002);
    expect((await t.known()).profiles).toContain("chat");
  });

  it("announces both again, and logs it, each time that the store was emptied", async () => {
    const t = await setup();
    const before = await t.known();
    for (let times = 1; times <= 3; times++) {
      t.empty();
      expect(await t.known()).toEqual({ profiles: [], agents: [] });
      await t.looked(2);
      expect(await t.known()).toEqual(before);
      expect(t.lines).toHaveLength(times);
    }
    expect(new Set(t.lines)).toEqual(new Set(["the store has lost commits; the agent announces its profiles again"]));
  });

  it("continues after a store that did not answer", async () => {
    const t = await setup();
    const before = await t.known();
    const fix = t.breakDown();
    await expect.poll(() => t.lines).toContain("an agent could not check whether the store still has its profiles; it tries again");
    t.empty();
    fix();
    await t.looked(2);
    expect(await t.known()).toEqual(before);
  });
});
