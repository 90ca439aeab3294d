import { memoryBus } from "@toolbus/bus";
import { ownKeys } from "@toolbus/grants";
import { connectState } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { defineTool, readRegistry, startWorker, toolset, unregister } from "@toolbus/tool-kit";
import { beforeEach, expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";

const BEAT_MS = 100;

describeOnPrivateServer("redis", "a worker on a Redis that was emptied", (server) => {
  beforeEach(() => emptied());

  it("is registered again within a heartbeat, and reports it", async () => {
    await using t = await setup();
    await emptied();
    await expect.poll(t.registered, { timeout: 10 * BEAT_MS, interval: 10 }).toEqual(["look_up"]);
    expect(t.lines).toContain("the store has lost commits; the toolset is registered again");
  });

  it("is registered again when it was emptied repeatedly, also by the second of two workers", async () => {
    await using t = await setup(2);
    for (let times = 0; times < 3; times++) {
      await emptied();
      await expect.poll(t.registered, { timeout: 10 * BEAT_MS, interval: 10 }).toEqual(["look_up"]);
    }
  });

  it("is not registered again if an operator unregistered it, however many heartbeats it sends, even after an earlier loss", async () => {
    await using t = await setup(2);
    await emptied();
    await expect.poll(t.registered, { timeout: 10 * BEAT_MS, interval: 10 }).toEqual(["look_up"]);
    await t.beats(2);
    await unregister(t.state, "orders", "look_up", "1");
    await t.beats(3);
    expect(await t.registered()).toEqual([]);
  });

  async function emptied(): Promise<void> {
    await using client = await redisClient(server().url);
    await client.ask("FLUSHALL");
  }

  async function setup(workers = 1) {
    const state = await connectState(server().url, { clock: Date.now });
    const bus = memoryBus();
    const lines: string[] = [];
    let looks = 0;
    const log = { ...silentLog, warn: (_: object, text: string) => void lines.push(text) };
    const keys = await ownKeys(["worker.orders", "approvals"]);
    const started = await Promise.all(
      Array.from({ length: workers }, async () => {
        const own = await connectState(server().url, { clock: Date.now });
        const counted = {
          ...own,
          commit: (...args: Parameters<typeof own.commit>) => {
            if (args[1].op === "look") looks++;
            return own.commit(...args);
          },
        };
        const worker = await startWorker({
          bus,
          toolset: toolset({ name: "orders", tools: [LOOK_UP] }),
          state: counted,
          keys: keys.trusted.of("approvals"),
          log,
          clock: Date.now,
          monotonic: () => performance.now(),
          random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
          seenEveryMs: BEAT_MS,
        });
        return {
          async stop() {
            await worker.stop();
            await own.close();
          },
        };
      }),
    );
    return {
      state,
      lines,
      registered: async () => (await readRegistry(state)).map(({ definition }) => definition.name),
      /** Resolves when every worker has sent this many heartbeats. */
      async beats(count: number): Promise<void> {
        const until = looks + (count + 1) * workers;
        await expect.poll(() => looks, { timeout: 10_000, interval: 10 }).toBeGreaterThanOrEqual(until);
      },
      async [Symbol.asyncDispose]() {
        for (const { stop } of started) await stop();
        await bus.close();
        await state.close();
      },
    };
  }
});

const LOOK_UP = defineTool({
  name: "look_up",
  kind: "read",
  description: "Looks up.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  run: () => 1,
});
