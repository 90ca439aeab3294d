import { keys, type Message, topics } from "@toolbus/contracts";
import { StoreUnavailable } from "@toolbus/state";
import { type Log, silentLog } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { CALL, DAY, deadMessage, letter, RUN, setup } from "../../testing/operations-under-test.ts";

describe("an arriving dead letter", () => {
  it("is kept on the shard of its run, with the run's tenant, in the list of all and in that of its queue", async () => {
    await using t = await setup();
    await t.origin(RUN, "acme");
    const kept = await t.kept("run.wake", letter("run.wake"));
    expect(kept).toMatchObject({
      letterId: expect.stringMatching(/^dl_03_/),
      tenant: "acme",
      queue: "run.wake",
      keptAt: t.clock.now,
      expiresAt: t.clock.now + 30 * DAY,
      replayed: null,
    });
    expect(await t.letters()).toEqual([kept]);
    expect(await t.letters(keys.deadLetters("approval.request"))).toEqual([]);
  });

  it("is kept once, however often it arrives and at whichever worker", async () => {
    const lines: object[] = [];
    await using t = await setup({ log: logging(lines) });
    const other = await t.start();
    await t.kept("run.wake", letter("run.wake"));
    for (let n = 0; n < 5; n++) await t.bus.publish(letter("run.wake"));
    await t.kept("run.wake", letter("run.wake", { deliveries: 2 }));
    await t.operations.stop();
    await other.stop();
    expect(await t.letters()).toHaveLength(2);
    expect(lines.filter((line) => "letterId" in line)).toHaveLength(2);
  });

  it("is logged with its id, its queue and its reason, and nothing of its body", async () => {
    const lines: object[] = [];
    await using t = await setup({ log: logging(lines) });
    const body = JSON.stringify({ runId: RUN, text: "the body" });
    const { letterId } = await t.kept("run.wake", letter("run.wake", { message: deadMessage({ body }) }));
    expect(lines).toEqual([
      {
        letterId,
        queue: "run.wake",
        messageId: `wake:${RUN}#1`,
        deliveries: 1,
        reason: "the body breaks its schema",
        runId: RUN,
        former: undefined,
      },
    ]);
  });

  it("is kept on some shard when it names no run, or one of a shard that the store does not have", async () => {
    await using t = await setup();
    const strange = "rn_ff_01JD0000000000000000000001";
    const one = await t.kept("run.wake", letter("run.wake", { message: deadMessage({ id: "1", body: "{}" }) }));
    const two = await t.kept(
      "run.wake",
      letter("run.wake", { message: deadMessage({ id: "2", body: JSON.stringify({ runId: strange }) }) }),
    );
    expect([one.tenant, two.tenant, two.runId]).toEqual([null, null, strange]);
    expect(two.letterId).not.toMatch(/^dl_ff_/);
  });

  it("that breaks its schema is kept as well, and the next one after it", async () => {
    await using t = await setup();
    const broken = await t.kept("run.wake", { ...letter("run.wake"), body: "{" });
    expect(broken).toMatchObject({ unreadable: true, reason: "the dead letter breaks its schema", message: { body: "{" } });
    expect((await t.kept("run.wake", letter("run.wake"))).unreadable).toBe(false);
  });

  it("waits while the store is unavailable, and is kept when it is back", async () => {
    let away = true;
    const failed = Promise.withResolvers<void>();
    await using t = await setup({
      wrapStore: (store) => ({
        ...store,
        read: (wanted) => {
          if (!away || !wanted.some((key) => key.startsWith("tb:dead:"))) return store.read(wanted);
          away = false;
          failed.resolve();
          return Promise.reject(new StoreUnavailable("gone"));
        },
      }),
    });
    await t.bus.publish(letter("run.wake"));
    await failed.promise;
    expect(await t.letters()).toEqual([]);
    await t.committed("keep:");
    expect(await t.letters()).toHaveLength(1);
  });

  it("expires, and leaves the lists", async () => {
    await using t = await setup({ keptMs: DAY, forgetEveryMs: 1 });
    await t.kept("run.wake", letter("run.wake"));
    t.clock.now += DAY / 2;
    const later = await t.kept("run.wake", letter("run.wake", { deliveries: 2 }));
    t.clock.now += DAY / 2;
    await t.committed("forget:");
    for (const index of [keys.deadLetters(), keys.deadLetters("run.wake")]) {
      expect((await t.store.page(index, { limit: 10 })).members.map(({ member }) => member)).toEqual([`${later.letterId}@run.wake`]);
    }
  });
});

describe("the dead queues", () => {
  const QUEUES = ["run.wake", "approval.request", "approval.cancel", "approval.rollback", "operations.replay"];

  it("are read for every registered toolset and every agent, and for the fixed ones", async () => {
    await using t = await setup();
    await t.index(keys.agentIndex(), "scout");
    await t.index(keys.registryIndex(), "release/get_release_summary@1");
    const other = await t.start();
    const all = [...QUEUES, "approval.held.scout", "approval.decided.scout", "tool.result.scout", "tool.invoke.release"];
    for (const queue of all) expect((await t.kept(queue, letter(queue))).queue).toBe(queue);
    await other.stop();
  });

  it.each([
    ["an announcement", topics.toolAnnounce, "toolbus.tool.announce", { toolset: "late", tools: [] }],
    ["an agent's start", topics.toolRefresh, "toolbus.tool.refresh", {}],
  ])("of later toolsets and agents are read after %s", async (_, topic, type, body) => {
    await using t = await setup();
    await t.index(keys.registryIndex(), "late/tool@1");
    const hint: Message = { ...letter("x"), id: "hint", topic, type, body: JSON.stringify(body) };
    await t.bus.announce(hint);
    await delivered(t, "tool.invoke.late");
  });

  it("of later toolsets and agents are also found without an announcement", async () => {
    await using t = await setup({ lookEveryMs: 1 });
    await t.index(keys.agentIndex(), "late");
    await delivered(t, "tool.result.late");
  });
});

describe("a replay", () => {
  it("publishes the message again with a new id, the current time and a reference, and records who asked", async () => {
    await using t = await setup();
    const got = await receive(t, topics.approvalRequest);
    const dead = deadMessage({ topic: topics.approvalRequest, id: `request:${CALL}#1`, correlationId: CALL });
    const { letterId } = await t.kept("approval.request", letter("approval.request", { message: dead }));
    await t.request(letterId);
    await t.ask(letterId);
    expect(await got.next()).toEqual({
      ...dead,
      id: `request:${CALL}#1#replay1`,
      time: new Date(t.clock.now).toISOString(),
      attributes: { ...dead.attributes, "toolbus-replay-of": letterId },
    });
    await t.committed("replayed:");
    expect((await t.letters())[0]?.replayed).toEqual({ at: t.clock.now, by: "otto", messageId: `request:${CALL}#1#replay1` });
  });

  it("that is requested twice happens once", async () => {
    await using t = await setup();
    const got = await receive(t, topics.runWake);
    const { letterId } = await t.kept("run.wake", letter("run.wake"));
    await t.request(letterId);
    await t.ask(letterId, 1);
    await t.committed("replayed:");
    await t.ask(letterId, 2);
    await t.ask(letterId, 3);
    // The queue of replays is empty when a later request for another dead letter has been processed.
    const second = await t.kept("run.wake", letter("run.wake", { deliveries: 2 }));
    await t.request(second.letterId);
    await t.ask(second.letterId);
    const arrived = [await got.next(), await got.next()].map(({ attributes }) => attributes["toolbus-replay-of"]);
    expect([arrived, got.all.length]).toEqual([[letterId, second.letterId], 2]);
  });

  it("of one that comes back is a dead letter that refers to the former, with the next number", async () => {
    await using t = await setup();
    const got = await receive(t, topics.runWake);
    const first = await t.kept("run.wake", letter("run.wake", { message: deadMessage({ body: "{" }) }));
    await t.request(first.letterId);
    await t.ask(first.letterId);
    const again = await got.next();
    const second = await t.kept("run.wake", letter("run.wake", { message: { ...again, attributes: { ...again.attributes } } }));
    expect(second).toMatchObject({ former: first.letterId, replayed: null });
    await t.request(second.letterId);
    await t.ask(second.letterId);
    expect(await got.next()).toMatchObject({ id: `wake:${RUN}#1#replay2`, attributes: { "toolbus-replay-of": second.letterId } });
  });

  it("of an invoke publishes no invoke: it has the agent look at the call, as the gateway saw it", async () => {
    await using t = await setup();
    const wakes = await receive(t, topics.runWake);
    const queue = "tool.result.default";
    await t.index(keys.agentIndex(), "default");
    const other = await t.start();
    const dead = deadMessage({ type: "toolbus.tool.invoke", id: `${CALL}#2`, correlationId: CALL });
    const { letterId, replayBy } = await t.kept(queue, letter(queue, { message: dead }));
    expect(replayBy).toEqual({ kind: "call", callId: CALL });
    await t.request(letterId, { call: { callId: CALL, dispatch: 2, requests: 1 } });
    await t.ask(letterId);
    const wake = await wakes.next();
    expect(wake).toMatchObject({
      id: `wake:${letterId}#1`,
      topic: "run.wake",
      attributes: { "toolbus-agent": "default", "toolbus-replay-of": letterId },
    });
    expect(JSON.parse(wake.body)).toEqual({ runId: RUN, call: { callId: CALL, dispatch: 2, requests: 1 } });
    await other.stop();
  });

  it("that only a message asks for, without a document of the gateway, is ignored", async () => {
    await using t = await setup();
    const got = await receive(t, topics.runWake);
    const { letterId } = await t.kept("run.wake", letter("run.wake"));
    await t.ask(letterId);
    await t.ask("dl_00_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    const unreadable = await t.kept("run.wake", { ...letter("run.wake"), body: "{" });
    await t.request(unreadable.letterId);
    await t.ask(unreadable.letterId);
    const asked = await t.kept("run.wake", letter("run.wake", { deliveries: 2 }));
    await t.request(asked.letterId);
    await t.ask(asked.letterId);
    expect((await got.next()).attributes["toolbus-replay-of"]).toBe(asked.letterId);
    expect(got.all).toHaveLength(1);
  });

  it("waits when nobody consumes its queue, and happens when somebody does", async () => {
    const lines: object[] = [];
    await using t = await setup({ log: logging(lines) });
    const { letterId } = await t.kept("approval.cancel", letter("approval.cancel"));
    await t.request(letterId);
    await t.ask(letterId);
    await vi.waitUntil(() => lines.some((line) => "topic" in line), { timeout: 30_000, interval: 1 });
    expect((await t.letters())[0]?.replayed).toBeNull();
    const got = await receive(t, topics.approvalCancel);
    await t.ask(letterId, 2);
    expect((await got.next()).id).toBe(`wake:${RUN}#1#replay1`);
  });

  it.each([
    ["has characters that no broker accepts", "a b\n"],
    ["is long", "m".repeat(500)],
  ])("gets a new id when the message's %s", async (_, id) => {
    await using t = await setup();
    const got = await receive(t, topics.runWake);
    const { letterId } = await t.kept("run.wake", letter("run.wake", { message: deadMessage({ id }) }));
    await t.request(letterId);
    await t.ask(letterId);
    expect((await got.next()).id).toBe(`replay:${letterId}#1`);
  });
});

type T = Awaited<ReturnType<typeof setup>>;

/** Waits until dead letters of a queue are kept, because the queue does not exist before somebody consumes it. */
async function delivered(t: T, queue: string): Promise<void> {
  const published = (): Promise<boolean> =>
    t.bus.publish(letter(queue)).then(
      () => true,
      () => false,
    );
  await vi.waitUntil(published, { timeout: 30_000, interval: 1 });
  await t.committed("keep:");
  expect(await t.letters(keys.deadLetters(queue))).toHaveLength(1);
}

/** Consumes a queue and returns its messages one by one. */
async function receive(t: T, topic: string) {
  const all: Message[] = [];
  const waiting: ((message: Message) => void)[] = [];
  let read = 0;
  await t.bus.consume(
    topic,
    async ({ message }) => {
      all.push(message);
      const resolve = waiting.shift();
      if (resolve) {
        read++;
        resolve(message);
      }
      return { kind: "ack" };
    },
    { concurrency: 1 },
  );
  return {
    all,
    next(): Promise<Message> {
      const ready = all[read];
      if (ready) {
        read++;
        return Promise.resolve(ready);
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Returns a log that keeps the fields of its warnings. */
function logging(lines: object[]): Log {
  return { ...silentLog, warn: (fields: object) => void lines.push(fields) };
}
