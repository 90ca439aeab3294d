import { keys, parseInboxEntry, shardOf } from "@toolbus/contracts";
import type { Change, StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { deletionEntryId } from "./entry-ids.ts";
import { completed } from "./testing/agent-under-test.ts";
import { setup as setupGateway, START, until } from "./testing/gateway-under-test.ts";

const REPEAT_MS = 1000;
const DAY = 86_400_000;

describe("the timer of an accepted entry", () => {
  it("repeats the wake, each under its own id, until the run has a document, and is gone then", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await until(() => t.wakes.length === 1);
    for (const n of [2, 3]) {
      t.clock.now += REPEAT_MS;
      await until(() => t.wakes.length === n);
    }
    expect(new Set(t.wakes.map(({ id }) => id)).size).toBe(3);
    expect(t.wakes.map(({ body }) => JSON.parse(body))).toEqual(Array.from({ length: 3 }, () => ({ runId, entryId: runId })));

    await t.agent.take(runId);
    t.clock.now += REPEAT_MS;
    await until(() => t.done(runId));
    expect(await t.left()).toEqual({ timers: [], messages: [] });
    expect(t.wakes).toHaveLength(3);
  });

  it("does nothing before its time", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await until(() => t.wakes.length === 1);
    t.clock.now += REPEAT_MS - 1;
    // When the wake of this second entry arrives, the gateway has not repeated the first wake.
    const other = await t.accepted();
    await until(() => t.wakes.length === 2);
    t.clock.now += 1;
    await until(() => t.wakes.length === 3);
    expect(t.wakes.map(({ attributes }) => attributes["toolbus-entry"])).toEqual([runId, other, runId]);
  });

  it("repeats a cancel until the run says that it is being cancelled", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.agent.take(runId);
    await t.ask("una", `/v1/runs/${runId}/cancel`, { method: "POST" });
    const entryId = `${runId}!cancel`;
    t.clock.now += REPEAT_MS;
    await until(() => t.done(runId));
    await until(() => t.wakesOf(entryId) === 2);
    await t.agent.cancel(runId);
    t.clock.now += REPEAT_MS;
    await until(() => t.done(entryId));
    expect(await t.left()).toEqual({ timers: [], messages: [] });
  });

  it("repeats a deletion until the conversation has its mark", async () => {
    await using t = await setup();
    const id = await t.conversation("una");
    await t.agent.keep(id, { runs: 1 });
    await t.ask("una", `/v1/conversations/${id}`, { method: "DELETE" });
    const entryId = deletionEntryId(id);
    await until(() => t.wakesOf(entryId) === 1);
    t.clock.now += REPEAT_MS;
    await until(() => t.wakesOf(entryId) === 2);
    const stored = (await t.store.read([keys.inbox(shardOf(id), entryId)])).documents[0]?.value;
    expect(parseInboxEntry(stored)).toMatchObject({ ok: true, value: { kind: "delete", conversationId: id, by: "una" } });
    await t.agent.keep(id, { runs: 1, deletedAt: t.clock.now });
    t.clock.now += REPEAT_MS;
    await until(() => t.done(entryId));
    expect(t.wakesOf(entryId)).toBe(2);
    expect(await t.left()).toEqual({ timers: [], messages: [] });
  });

  it("drops the deletion of an empty conversation", async () => {
    await using t = await setup();
    const id = await t.conversation("una");
    await t.ask("una", `/v1/conversations/${id}`, { method: "DELETE" });
    t.clock.now += REPEAT_MS;
    await until(() => t.done(deletionEntryId(id)));
  });

  it("drops a cancel that came too late for the run", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.agent.take(runId);
    await t.ask("una", `/v1/runs/${runId}/cancel`, { method: "POST" });
    await t.agent.say(runId, completed);
    t.clock.now += REPEAT_MS;
    await until(() => t.done(`${runId}!cancel`));
    expect((await t.left()).timers).toEqual([]);
  });

  it("repeats an answer until its call has a result", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    const callId = `${runId}.1.0`;
    const entryId = `${runId}!answer.1.0`;
    await t.agent.take(runId);
    await t.agent.call(callId, { state: "asked", arguments: '{"question":"Which?"}', askExpiresAt: START + DAY });
    await t.ask("una", `/v1/runs/${runId}/answers`, { method: "POST", body: { callId, text: "That." } });
    for (const n of [2, 3]) {
      t.clock.now += REPEAT_MS;
      await until(() => t.wakesOf(entryId) === n);
    }
    await t.agent.call(callId, { state: "resolved" });
    t.clock.now += REPEAT_MS;
    await until(() => t.done(entryId));
    expect(t.wakesOf(entryId)).toBe(3);
    expect(await t.left()).toEqual({ timers: [], messages: [] });
  });

  it("drops an answer to a run that has ended", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.agent.take(runId);
    await t.agent.call(`${runId}.1.0`, { state: "asked", arguments: "{}" });
    await t.ask("una", `/v1/runs/${runId}/answers`, { method: "POST", body: { callId: `${runId}.1.0`, text: "That." } });
    await t.agent.say(runId, completed);
    t.clock.now += REPEAT_MS;
    await until(() => t.done(`${runId}!answer.1.0`));
    expect((await t.left()).timers).toEqual([]);
  });

  it("drops an entry that is no longer kept", async () => {
    await using t = await setup({ WAKE_REPEAT_MS: String(10 * DAY) });
    const runId = await t.accepted();
    t.clock.now += 10 * DAY;
    await until(() => t.done(runId));
    expect((await t.left()).timers).toEqual([]);
  });

  it("is removed together with others of its shard", async () => {
    await using t = await setup();
    const runs: string[] = [];
    for (let n = 0; n < 24; n++) runs.push(await t.accepted());
    const waits = runs.pop() ?? "";
    for (const runId of runs) await t.agent.take(runId);
    t.clock.now += REPEAT_MS;
    await until(() => runs.every(t.done) && t.repeats(waits) === 1);
    const shards = new Set(runs.map(shardOf));
    expect(shards.size).toBeLessThan(runs.length);
    expect(t.removals()).toBe(shards.size);
    expect(t.done(waits)).toBe(false);
  });

  it("is due together with those of other entries of about the same time", async () => {
    await using t = await setup();
    const entries = [await t.accepted()];
    for (const later of [1, 199, 200]) {
      t.clock.now = START + later;
      entries.push(await t.accepted());
    }
    expect(entries.map(t.dueIn)).toEqual([REPEAT_MS, REPEAT_MS + 199, REPEAT_MS + 1, REPEAT_MS]);
  });

  it("does not pile up while there is no agent, and wakes the first one that starts", async () => {
    await using t = await setup({}, { noAgent: true });
    const runId = await t.accepted();
    for (const n of [1, 2, 3, 4, 5]) {
      t.clock.now += REPEAT_MS;
      await until(() => t.repeats(runId) === n);
    }
    expect(t.rows()).toBe(0);
    await t.listenForWakes();
    t.clock.now += REPEAT_MS;
    await until(() => t.wakes.length === 1);
    expect(t.wakes[0]?.id).toBe(`wake:${runId}#g${START + 6 * REPEAT_MS}`);
    await t.agent.take(runId);
    t.clock.now += REPEAT_MS;
    await until(() => t.done(runId));
    expect(await t.left()).toEqual({ timers: [], messages: [] });
    expect(t.wakesOf(runId)).toBe(1);
  });
});

/** Starts a gateway whose commits the test can see. The gateway repeats wakes after one second of the clock that the test moves. */
async function setup(env: Readonly<Record<string, string>> = {}, options: { readonly noAgent?: boolean } = {}) {
  const changes: Change[] = [];
  const wrapStore = (state: StateStore): StateStore => ({
    ...state,
    async commit(shard, change) {
      const reply = await state.commit(shard, change);
      if (reply.outcome === "ok") changes.push(change);
      return reply;
    },
  });
  const t = await setupGateway({ wrapStore, env: { WAKE_REPEAT_MS: String(REPEAT_MS), ...env }, ...options });
  return {
    ...t,
    /** Returns whether the timer of this entry was removed. */
    done: (entryId: string): boolean =>
      changes.some(({ timers }) => timers?.some(({ id, dueIn }) => id === `entry:${entryId}` && dueIn === null)),
    /** Returns the time from the entry's commit until its timer was due. */
    dueIn: (entryId: string): number | null | undefined =>
      changes.flatMap(({ timers }) => timers ?? []).find(({ id }) => id === `entry:${entryId}`)?.dueIn,
    /** Returns the number of commits that removed timers. */
    removals: (): number => changes.filter(({ op }) => op.startsWith("taken:")).length,
    repeats: (entryId: string): number => changes.filter(({ op }) => op.startsWith(`again:${entryId}:`)).length,
    /** Returns the number of messages that commits put into the outbox. */
    rows: (): number => changes.reduce((sum, { outbox = [] }) => sum + outbox.length, 0),
    wakesOf: (entryId: string): number => t.wakes.filter(({ attributes }) => attributes["toolbus-entry"] === entryId).length,
    /** Stops the gateway and returns its open work. */
    async left() {
      await t.service.stop();
      t.clock.now += 100 * DAY;
      const all = { limit: 100, visibleAfter: 0 };
      return { timers: await t.store.claim("gateway", "timer", all), messages: await t.store.claim("gateway", "outbox", all) };
    },
  };
}
