import { randomBytes } from "node:crypto";
import { connectState, type StateStore, storeClock } from "@toolbus/state";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { afterEach, expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";

const HOUR = 3_600_000;
const KEY = "tb:clock";
const DOCUMENT = "tb:ledger:{00}:one";
/** Every process checks its time once a second. */
const PATIENCE = { timeout: 10_000, interval: 50 } as const;

describeOnPrivateServer("redis", "the store's time, after the server's clock was set back by an hour", (server) => {
  const opened: StateStore[] = [];
  afterEach(async () => {
    for (const state of opened.splice(0)) await state.close();
    await ask("FLUSHALL");
  });

  it("continues after everything was lost, in running processes and in later ones", async () => {
    const process = await hourAhead("lost");
    await ask("FLUSHALL");
    await expect.poll(() => aheadKept("lost"), PATIENCE).toBeGreaterThan(HOUR - 60_000);
    await goesOn([process, await open("lost")]);
  });

  it("continues after an older value was restored, whatever its content", async () => {
    const before: Readonly<Record<string, () => string>> = {
      gone: () => `0 ${Date.now()}`,
      half: () => `${HOUR / 2} ${Date.now() + HOUR / 2}`,
      hours: () => `0 ${Date.now() - HOUR}`,
    };
    await Promise.all(
      Object.entries(before).map(async ([namespace, older]) => {
        const process = await hourAhead(namespace);
        await ask("SET", `${namespace}:${KEY}`, older());
        await expect.poll(() => aheadKept(namespace), PATIENCE).toBeGreaterThan(HOUR - 60_000);
        await goesOn([process, await open(namespace)]);
      }),
    );
  });

  it("keeps no deadline that was over, in the moment after everything was lost", async () => {
    const { state } = await hourAhead("moment");
    const { now } = await state.read([]);
    await ask("FLUSHALL");
    const reply = await state.commit("00", {
      op: randomBytes(8).toString("hex"),
      guards: [{ key: DOCUMENT, version: 0 }],
      // By the server's own clock, this time is still half an hour ahead.
      notAfter: now - HOUR / 2,
      put: [{ key: DOCUMENT, value: {} }],
    });
    expect(reply.outcome).toBe("late");
  });

  /** Opens a store as a process does that starts after the clock was set back. */
  async function hourAhead(namespace: string) {
    await ask("SET", `${namespace}:${KEY}`, `${HOUR} ${Date.now() + HOUR}`);
    const process = await open(namespace);
    await goesOn([process]);
    return process;
  }

  async function goesOn(processes: readonly Awaited<ReturnType<typeof open>>[]): Promise<void> {
    for (const { state, time } of processes) {
      const { now } = await state.read([]);
      expect(Math.abs(now - (Date.now() + HOUR))).toBeLessThan(5000);
      expect(Math.abs(time.now() - now)).toBeLessThan(5000);
      expect(time.faults().map(({ name }) => name)).toContain("set_back");
    }
  }

  async function open(namespace: string) {
    const time = storeClock({ wall: () => Date.now(), monotonic: () => performance.now() });
    const state = await connectState(`${server().url}?namespace=${namespace}`, { clock: time.now, time });
    opened.push(state);
    return { state, time };
  }

  async function aheadKept(namespace: string): Promise<number> {
    return Number(String(await ask("GET", `${namespace}:${KEY}`)).split(" ")[0]);
  }

  async function ask(...command: readonly [string, ...string[]]): Promise<unknown> {
    await using client = await redisClient(server().url);
    // The reply must arrive before the connection is closed.
    return await client.ask(...command);
  }
});
