import { keys } from "@toolbus/contracts";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { completed, started, turn } from "../testing/agent-under-test.ts";
import { setup as setupGateway } from "../testing/gateway-under-test.ts";
import { startFeed } from "./feed.ts";

describe("the reader of a run's log", () => {
  it("reads an event once, however many watch", async () => {
    await using t = await setup();
    const viewers = await Promise.all(Array.from({ length: 20 }, () => t.view("una", t.runId)));
    await t.agent.say(t.runId, started);
    await Promise.all(viewers.map((viewer) => viewer.sees(({ name }) => name === "run.started")));
    const before = t.reads.count;
    await t.agent.say(t.runId, turn(0), turn(1));
    await Promise.all(viewers.map((viewer) => viewer.sees(({ data }) => data["round"] === 1)));
    await t.agent.say(t.runId, completed);
    await Promise.all(viewers.map(({ ended }) => ended));
    expect(t.reads.count - before).toBe(2);
    for (const viewer of viewers) expect(viewer.seen.map(({ id }) => id)).toEqual([1, 2, 3, 4].map((n) => `${t.runId}:${n}`));
  });

  it("reads again for a listener that was notified of an event after a read began", async () => {
    await using t = await setup();
    const early = await t.view("una", t.runId);
    await t.agent.say(t.runId, started);
    await early.sees(({ name }) => name === "run.started");
    // From now on, the store makes each read but delays its answer.
    const release = t.reads.hold();
    await t.agent.say(t.runId, turn(0));
    await t.reads.held();
    await t.agent.say(t.runId, completed);
    const late = await t.view("otto", t.runId, `${t.runId}:1`);
    release();
    await Promise.all([early.ended, late.ended]);
    expect(early.seen.map(({ name }) => name)).toEqual(["run.started", "turn", "run.completed"]);
    expect(late.seen.map(({ name }) => name)).toEqual(["turn", "run.completed"]);
  });

  it("reads a run again for a listener that comes when all others have left", async () => {
    await using t = await setup();
    const first = await t.view("una", t.runId);
    await t.agent.say(t.runId, started);
    await first.sees(({ name }) => name === "run.started");
    first.leave();
    await first.ended;
    await t.agent.say(t.runId, turn(0));
    const second = await t.view("una", t.runId);
    await second.sees(({ name }) => name === "turn");
    expect(second.seen.map(({ name }) => name)).toEqual(["run.started", "turn"]);
  });
});

describe("the feed", () => {
  it("is not followed before somebody watches, and is for a while after the last one has left", async () => {
    const follows = { begun: 0, open: 0 };
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      async *follow(options) {
        follows.begun++;
        follows.open++;
        try {
          yield* state.follow(options);
        } finally {
          follows.open--;
        }
      },
    });
    const t = await setupGateway({ wrapStore });
    const runId = await t.accepted();
    await t.agent.take(runId);
    expect(follows).toEqual({ begun: 0, open: 0 });
    const first = await t.view("una", runId);
    await t.agent.say(runId, started);
    await first.sees(({ name }) => name === "run.started");
    first.leave();
    await first.ended;
    const second = await t.view("otto", runId);
    await t.agent.say(runId, completed);
    await second.ended;
    expect(follows).toEqual({ begun: 1, open: 1 });
    await t[Symbol.asyncDispose]();
    expect(follows).toEqual({ begun: 1, open: 0 });
  });

  it("ends after a minute without anybody, and begins again for the next one, who misses nothing", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const store = memoryStore({ clock: () => 1 });
      let follows = 0;
      const state: StateStore = { ...store, follow: (options) => (follows++, store.follow(options)) };
      const feed = startFeed(state, silentLog);
      const run = "rn_05_01JD0000000000000000000001";
      const appends: string[] = [];
      const listen = () => feed.listen(run, { onAppend: () => void appends.push("append"), onLive: () => undefined });
      const first = listen();
      first.leave();
      await vi.advanceTimersByTimeAsync(59_000);
      const again = listen();
      await vi.advanceTimersByTimeAsync(59_000);
      expect(follows).toBe(1);
      again.leave();
      await vi.advanceTimersByTimeAsync(60_000);
      const next = listen();
      expect(follows).toBe(2);
      const key = `tb:sample:{05}:1`;
      const append = [{ log: keys.events(run), entries: [{ type: "turn" }] }];
      await store.commit("05", { op: "o", guards: [{ key, version: 0 }], put: [{ key, value: 1 }], append });
      await vi.advanceTimersByTimeAsync(1);
      expect(appends).toEqual(["append"]);
      next.leave();
      await feed.stop();
      // A listener that comes too late gets no notification, and the feed stays closed.
      listen();
      expect(follows).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** Starts a gateway with one run. Its store counts the reads of the run's events and can delay their answers. */
async function setup() {
  const gate = { open: Promise.resolve() };
  let held = Promise.withResolvers<void>();
  const reads = {
    count: 0,
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate.open = promise;
      held = Promise.withResolvers<void>();
      return () => {
        gate.open = Promise.resolve();
        resolve();
      };
    },
    /** Resolves when a read waits. */
    held: (): Promise<void> => held.promise,
  };
  const wrapStore = (state: StateStore): StateStore => ({
    ...state,
    async range(log, options) {
      const entries = await state.range(log, options);
      // A smaller request only looks up a client's position.
      if (log.startsWith("tb:events:") && options.limit > 2) {
        reads.count++;
        held.resolve();
        await gate.open;
      }
      return entries;
    },
  });
  const t = await setupGateway({ wrapStore });
  const runId = await t.accepted();
  await t.agent.take(runId);
  return { ...t, runId, reads };
}
