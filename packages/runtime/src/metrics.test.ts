import { BusUnavailable } from "@toolbus/bus";
import { message } from "@toolbus/contracts";
import { StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { startHttpServer } from "./http/http-server.ts";
import { type RunOptions, runServices } from "./run-services.ts";
import { defineService, type Infrastructure } from "./service.ts";
import { serverOptions } from "./testing/http-under-test.ts";
import { startTimerLoop } from "./timer-loop.ts";

const PATIENCE = { timeout: 20_000, interval: 20 };

describe("the metrics of a process", () => {
  it("tell how old a message is at its first delivery and at its confirm, and not at a repeated delivery", async () => {
    await using t = await setup();
    const { bus, clock } = t.infrastructure();
    const handled = Promise.withResolvers<void>();
    await bus.consume(
      "work",
      async ({ count }) => {
        if (count === 1) return { kind: "retry", after: 1, reason: "later" };
        handled.resolve();
        return { kind: "ack" };
      },
      { concurrency: 1 },
    );
    await bus.publish(work(clock() - 7000));
    await handled.promise;
    expect(await t.value('toolbus_queue_age_count{messaging_destination_name="work"')).toBe(1);
    expect(await t.value('toolbus_queue_age_bucket{messaging_destination_name="work"', "10000")).toBe(1);
    expect(await t.value('toolbus_queue_age_bucket{messaging_destination_name="work"', "5000")).toBe(0);
    expect(await t.value('toolbus_outbox_age_count{messaging_destination_name="work"')).toBe(1);
  });

  it("tell how old a message is whose publish failed, and why, without traces", async () => {
    await using t = await setup((built) => ({
      ...built,
      bus: { ...built.bus, publish: () => Promise.reject(new BusUnavailable("The broker is away.")) },
    }));
    const { bus, clock } = t.infrastructure();
    await expect(bus.publish(work(clock() - 40_000))).rejects.toThrow("away");
    const failed = 'toolbus_outbox_age_bucket{messaging_destination_name="work",error_type="bus_unavailable"';
    expect(await t.value(failed, "60000")).toBe(1);
    expect(await t.value(failed, "30000")).toBe(0);
  });

  it("tell how late a timer was when its service took it", async () => {
    let now = 1_750_000_000_000;
    await using t = await setup((built) => ({ ...built, clock: () => now }));
    const { state, clock, log } = t.infrastructure();
    const handled = Promise.withResolvers<void>();
    const key = "tb:sample:{00}:timer";
    await state.commit("00", {
      op: "set",
      guards: [{ key, version: 0 }],
      put: [{ key, value: 1 }],
      timers: [{ service: "s", id: "t", dueIn: 0 }],
    });
    // The service was away for 20 s.
    const { now: storeNow } = await state.read([]);
    now = storeNow + 20_000;
    const loop = startTimerLoop({
      state,
      service: "s",
      handle: async () => handled.resolve(),
      log,
      clock,
      pollMs: 1,
      visibleMs: 60_000,
      random: () => 0.5,
    });
    await handled.promise;
    await loop.stop();
    expect(await t.value('toolbus_timers_lag_bucket{toolbus_service="s"', "30000")).toBe(1);
    expect(await t.value('toolbus_timers_lag_bucket{toolbus_service="s"', "10000")).toBe(0);
  });

  it("tell how long the store takes, by operation, and which operations fail", async () => {
    await using t = await setup((built) => ({
      ...built,
      state: { ...built.state, range: () => Promise.reject(new StoreUnavailable("The store is away.")) },
    }));
    const { state } = t.infrastructure();
    await state.read([]);
    await expect(state.range("tb:events:{00}:x", { after: 0, limit: 1 })).rejects.toThrow("away");
    expect(await t.value('toolbus_state_duration_count{toolbus_state_operation="read"')).toBe(1);
    expect(await t.value('toolbus_state_duration_count{toolbus_state_operation="range",error_type="store_unavailable"')).toBe(1);
  });

  it("tell whether it accepts work, and whether the bus and the store do", async () => {
    let away: readonly string[] = [];
    let broken = false;
    await using t = await setup((built) => ({
      ...built,
      bus: { ...built.bus, unready: () => away },
      state: {
        ...built.state,
        probe: async () => (broken ? Promise.reject(new StoreUnavailable("The store is away.")) : built.state.probe()),
      },
    }));
    const health = async () => [
      await t.value("toolbus_ready{"),
      await t.value("toolbus_bus_ready{"),
      await t.value("toolbus_state_ready{"),
    ];
    expect(await health()).toEqual([1, 1, 1]);
    away = ["the broker is away"];
    expect(await health()).toEqual([0, 0, 1]);
    away = [];
    broken = true;
    // The answer about the store is kept for two seconds.
    await expect.poll(health, PATIENCE).toEqual([0, 1, 0]);
  });
});

function work(at: number) {
  return message({ id: "m1", topic: "work", type: "t", source: "/s", now: at, correlationId: "call-1", body: {} });
}

/** Starts one service with a page of metrics. `value` reads one series by its beginning, and a bucket by its bound. */
async function setup(wrap: RunOptions["wrap"] = (built) => built) {
  const finder = await startHttpServer(serverOptions({ name: "finder" }));
  await finder.stop();
  const { port } = new URL(finder.url);
  let given: Infrastructure | undefined;
  const service = defineService({
    name: "one",
    settings: {},
    async start(infrastructure) {
      given = infrastructure;
      return { unready: () => [], stop: async () => undefined };
    },
  });
  const env = { BUS_URL: "memory:", STATE_URL: "memory:", LOG_LEVEL: "silent", METRICS_PORT: port };
  const running = await runServices([service], { env, wrap });
  return {
    infrastructure: () => given ?? running.infrastructure,
    async value(beginning: string, bound?: string): Promise<number | undefined> {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const line = text.split("\n").find((one) => one.startsWith(beginning) && (bound === undefined || one.includes(`le="${bound}"`)));
      return line === undefined ? undefined : Number(line.split(" ").at(-1));
    },
    [Symbol.asyncDispose]: async () => void (await running.stop()),
  };
}
