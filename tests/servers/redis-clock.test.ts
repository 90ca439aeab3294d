import { randomBytes } from "node:crypto";
import { connectState, type StateStore, storeClock } from "@toolbus/state";
import { FAKED_CLOCK_REMEDY, type FakedClock, fakedClock, type PrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";

const HOUR = 3_600_000;
const KEY = "tb:ledger:{00}:one";
const faked = fakedClock();
const missing = faked === null ? ` (skipped here: ${FAKED_CLOCK_REMEDY})` : "";
afterAll(() => faked?.remove());

describe.skipIf(faked === null)(`a store on a Redis whose clock is set${missing}`, () => {
  const clock = faked as FakedClock;
  let server: PrivateServer;
  const opened: StateStore[] = [];
  beforeAll(async () => {
    server = await startPrivateServer("redis", { clock });
  });
  beforeEach(() => clock.set(0));
  afterEach(async () => {
    for (const state of opened.splice(0)) await state.close();
  });
  afterAll(async () => server?.remove());

  it("keeps no deadline that was over, in whichever process asks, old or new", async () => {
    const namespace = space();
    const before = await open(namespace);
    const { now } = await before.state.read([]);
    const over = now - 30 * 60_000;
    expect(await write(before.state, { notAfter: over })).toBe("late");
    clock.set(-HOUR);
    // No process has noticed the step of the clock yet. This commit is the first that can notice it.
    expect(await write(before.state, { notAfter: over })).toBe("late");
    const after = await open(namespace);
    expect(await write(after.state, { notAfter: over })).toBe("late");
    expect(await write(before.state, { notAfter: over })).toBe("late");
    expect(await write(after.state, { notAfter: now + 60_000 })).toBe("ok");
  });

  it("continues from the same time in every process, and reports that its clock was set back", async () => {
    const namespace = space();
    const [one, two] = [await open(namespace), await open(namespace)];
    const { now } = await one.state.read([]);
    clock.set(-HOUR);
    for (const { state, time } of [one, two, one, two]) {
      const answered = await state.read([]);
      // The continued time is truncated to whole milliseconds.
      expect(answered.now - now).toBeGreaterThanOrEqual(-50);
      expect(answered.now - now).toBeLessThan(30_000);
      expect(time.now() - now).toBeLessThan(30_000);
    }
    const three = await open(namespace);
    expect(Math.abs((await three.state.read([])).now - one.time.now())).toBeLessThan(1000);
    expect(three.time.faults().map(({ name }) => name)).toContain("set_back");
  });

  it("leaves no earlier timer, message or lease waiting for an hour, back or there and back", async () => {
    const namespace = space();
    const { state } = await open(namespace);
    await settled(state);
    await arm(state, "back");
    clock.set(-HOUR);
    await settled(state);
    expect(await due(state)).toEqual(["back"]);
    clock.set(HOUR);
    await settled(state);
    await arm(state, "there");
    const { now } = await state.read([]);
    // A lease that began while the clock was wrong must end at the same moment as if the clock had been right.
    clock.set(0);
    await settled(state);
    expect(await due(state)).toContain("there");
    expect((await state.read([])).now - now).toBeLessThan(30_000);
  });

  it("keeps its time if every process was stopped while the clock was set back", async () => {
    const namespace = space();
    clock.set(HOUR);
    const first = await open(namespace);
    const { now } = await first.state.read([]);
    await first.state.close();
    clock.set(0);
    const { state } = await open(namespace);
    const again = await state.read([]);
    expect(again.now).toBeGreaterThanOrEqual(now - 2000);
    expect(again.now).toBeLessThan(now + 30_000);
  });

  it("treats nonsense in place of its stored time as missing", async () => {
    const namespace = space();
    await open(namespace);
    const key = `${namespace}:tb:clock`;
    await using client = await redisClient(server.url);
    for (const nonsense of ["-3600000 1", "99999999999999999999 1", "1e9 x", ""]) {
      await client.ask("SET", key, nonsense);
      await isRight(namespace);
    }
    await client.ask("DEL", key);
    await client.ask("RPUSH", key, "x");
    await isRight(namespace);
  });

  async function isRight(namespace: string): Promise<void> {
    const { state } = await open(namespace);
    expect(Math.abs((await state.read([])).now - Date.now())).toBeLessThan(5000);
  }

  async function open(namespace: string) {
    const time = storeClock({ wall: () => Date.now(), monotonic: () => performance.now() });
    const state = await connectState(`${server.url}?namespace=${namespace}`, { clock: time.now, time });
    opened.push(state);
    return { state, time };
  }
});

function space(): string {
  return `clock-${randomBytes(6).toString("hex")}`;
}

async function write(state: StateStore, { notAfter }: { readonly notAfter: number }): Promise<string> {
  const {
    documents: [found],
  } = await state.read([KEY]);
  const guards = [{ key: KEY, version: found?.version ?? 0 }];
  const { outcome } = await state.commit("00", { op: randomBytes(8).toString("hex"), guards, notAfter, put: [{ key: KEY, value: {} }] });
  return outcome;
}

async function arm(state: StateStore, id: string): Promise<void> {
  const {
    documents: [found],
  } = await state.read([KEY]);
  const { outcome } = await state.commit("00", {
    op: randomBytes(8).toString("hex"),
    guards: [{ key: KEY, version: found?.version ?? 0 }],
    put: [{ key: KEY, value: {} }],
    timers: [{ service: "probe", id, dueIn: 0 }],
  });
  expect(outcome).toBe("ok");
}

async function due(state: StateStore): Promise<readonly string[]> {
  return (await state.claim("probe", "timer", { limit: 10, visibleAfter: 60_000 })).map(({ id }) => id);
}

/** Reads twice. If the first answer shows a step of the clock, the process tells the others about the step before it returns the second answer. */
async function settled(state: StateStore): Promise<void> {
  await state.read([]);
  await state.read([]);
}
