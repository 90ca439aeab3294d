import { keys } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { acquire } from "./acquire.ts";
import { cancelRun } from "./cancel.ts";
import { callDecided } from "./decided.ts";
import { finishCancel } from "./end.ts";
import { asks, type Bundle, bundle, CONVERSATION, ok, RUN } from "../testing/test-bundle.ts";
import { commitTurn } from "./turn.ts";

const run = (n: number): string => `rn_03_01JD000000000000000000000${n}`;
const message = (n: number) => ({ runId: run(n), entryId: run(n), text: `Message ${n}.` });

const conversationOf = async (b: Bundle) => (await b.snapshot()).conversation.value;
const waiting = async (b: Bundle) => (await conversationOf(b)).queue.map((queued) => queued.runId);
const statusOf = async (b: Bundle, n: number) => (await b.snapshot(run(n))).run.value.status;
const eventsOf = async (b: Bundle, n: number) => (await b.events(run(n))).map((event) => event.type);

/** Returns a run whose only write was sent to a worker. */
async function withSentWrite(): Promise<Bundle> {
  const b = bundle();
  await b.start();
  await b.turn([asks("change", "w")]);
  const { callId } = await b.call(0);
  const decided = { toolCallId: callId, approvalId: `ap_${callId}`, outcome: "approved", grantExpiresAt: 2e12, executeBy: 2e12 } as const;
  await b.commit(callDecided(await b.snapshot(), decided, "a.b.c", b.rules));
  expect((await b.call(0)).state).toBe("dispatched");
  return b;
}

describe("a message while a run is active", () => {
  it("waits by default, in the order in which the messages were accepted, in whatever order they reach the agent", async () => {
    const b = bundle();
    await b.start({}, 1);
    for (const n of [4, 2, 3]) await b.start(message(n), n);
    expect(await waiting(b)).toEqual([run(2), run(3), run(4)]);
    // The event has the position that the run had when it was queued. The fourth message arrived first, and the second and third ones were put before
    // it later.
    expect(await b.events(run(4))).toMatchObject([{ type: "run.queued", behind: RUN, position: 1 }]);
    expect(await b.events(run(3))).toMatchObject([{ type: "run.queued", behind: RUN, position: 2 }]);
    await b.turn([], "Done.");
    expect(await conversationOf(b)).toMatchObject({ activeRun: run(2), queue: [{ runId: run(3) }, { runId: run(4) }] });
  });

  it("has begun when its turn comes, not before", async () => {
    const b = bundle();
    await b.start();
    await b.start(message(2));
    expect(await eventsOf(b, 2)).toEqual(["run.queued"]);
    expect((await b.snapshot(run(2))).run.value.startedAt).toBeNull();
    await b.turn([], "Done.");
    expect(await eventsOf(b, 2)).toEqual(["run.queued", "run.started"]);
    expect((await b.snapshot(run(2))).run.value).toMatchObject({ status: "ready", startedAt: expect.any(Number), events: 2 });
  });

  it("keeps a timer while it waits", async () => {
    const b = bundle();
    await b.start();
    await b.start(message(2));
    expect(await b.timers()).toEqual([`run:${RUN}`, `run:${run(2)}`]);
  });

  it("that must not wait ends at once and says why, but only if there is something to wait for", async () => {
    const b = bundle();
    await b.start({ ifActive: "reject" });
    expect(await statusOf(b, 1)).toBe("ready");
    await b.start({ ...message(2), ifActive: "reject" });
    expect(await b.events(run(2))).toMatchObject([
      { type: "run.failed", code: "conversation_busy", message: expect.stringContaining(RUN) },
    ]);
    expect(await conversationOf(b)).toMatchObject({ activeRun: RUN, queue: [] });
  });

  it("is refused when 64 wait already", async () => {
    const b = bundle();
    await b.start();
    const many = (n: number) => `rn_03_01JD00000000000000000010${String(n).padStart(2, "0")}`;
    for (let n = 0; n < 65; n++) await b.start({ runId: many(n), entryId: many(n), ifActive: n === 64 ? "interrupt" : "enqueue" });
    expect((await waiting(b)).length).toBe(64);
    expect(await b.events(many(64))).toMatchObject([{ type: "run.failed", code: "queue_full", message: expect.stringContaining("64") }]);
    expect(await statusOf(b, 1)).toBe("ready");
  });

  it("leaves the queue when it is cancelled, and says so", async () => {
    const b = bundle();
    await b.start();
    for (const n of [2, 3]) await b.start(message(n));
    await b.commit(cancelRun(await b.snapshot(run(2)), { entryId: "e", by: "ada" }, b.rules));
    expect(await waiting(b)).toEqual([run(3)]);
    expect(await eventsOf(b, 2)).toEqual(["run.queued", "run.cancelling", "run.cancelled"]);
    expect(await statusOf(b, 1)).toBe("ready");
  });
});

describe("a message that interrupts", () => {
  it("cancels the active run and takes its place, in one commit", async () => {
    const b = bundle();
    await b.start();
    const got = acquire(await b.snapshot(), { by: "m", redelivered: false }, b.rules);
    await b.commit(got.kind === "acquired" ? got.change : null);
    await b.start({ ...message(2), ifActive: "interrupt" });
    expect((await b.events()).slice(-2)).toMatchObject([
      { type: "run.cancelling", by: "user:ada" },
      { type: "run.cancelled", by: "user:ada" },
    ]);
    expect(await conversationOf(b)).toMatchObject({ activeRun: run(2), queue: [] });
    expect(await statusOf(b, 2)).toBe("ready");
    expect((await b.transcript()).map((entry) => entry.type === "user" && entry.text)).toEqual(["Do it.", "Message 2."]);
    const turn = {
      provider: "t",
      model: "t",
      text: "Late.",
      calls: [],
      seed: false,
      truncated: false,
      usage: { inputTokens: 0, outputTokens: 0 },
    };
    expect(commitTurn({ snapshot: await b.snapshot(), epoch: 1, turn, tools: b.tools }, b.rules)).toBeNull();
  });

  it("starts only when the outcome of a sent write is known", async () => {
    const b = await withSentWrite();
    await b.start({ ...message(2), ifActive: "interrupt" });
    const { callId } = await b.call(0);
    expect((await b.state.read([keys.stop(callId)])).documents[0]).not.toBeNull();
    expect(await statusOf(b, 2)).toBe("queued");
    expect(await b.answer(0, ok("it happened"))).toBe("ok");
    expect(await statusOf(b, 2)).toBe("queued");
    await b.commit(finishCancel(await b.snapshot(), b.rules));
    expect(await statusOf(b, 1)).toBe("cancelled");
    expect(await statusOf(b, 2)).toBe("ready");
    // The message about the run's writes is between the result and the next message.
    expect((await b.transcript()).map((entry) => entry.type)).toEqual(["user", "assistant", "result", "assistant", "user"]);
  });

  it("goes before all waiting messages, and they stay behind it", async () => {
    const b = await withSentWrite();
    for (const n of [2, 3]) await b.start(message(n), n);
    await b.start({ ...message(4), ifActive: "interrupt" }, 4);
    await b.start(message(5), 5);
    expect(await waiting(b)).toEqual([run(4), run(2), run(3), run(5)]);
  });

  it("goes before one that interrupted earlier, and the run is cancelled once", async () => {
    const b = await withSentWrite();
    await b.start({ ...message(2), ifActive: "interrupt" }, 2);
    await b.start({ ...message(3), ifActive: "interrupt" }, 3);
    expect(await waiting(b)).toEqual([run(3), run(2)]);
    expect((await eventsOf(b, 1)).filter((type) => type === "run.cancelling")).toHaveLength(1);
  });

  it("does not cancel later messages", async () => {
    const b = bundle();
    await b.start({}, 9);
    await b.start({ ...message(2), ifActive: "interrupt" }, 8);
    expect(await eventsOf(b, 1)).toEqual(["run.started"]);
    expect(await waiting(b)).toEqual([run(2)]);
  });

  it("interrupts nothing if no run is active", async () => {
    const b = bundle();
    await b.start({ ifActive: "interrupt" });
    expect(await eventsOf(b, 1)).toEqual(["run.started"]);
  });
});

describe("an unusable message", () => {
  it("for an unknown profile ends its run with the known names", async () => {
    const b = bundle();
    await b.start({ profile: "chef" });
    expect((await b.events()).at(-1)).toMatchObject({
      type: "run.failed",
      code: "profile_unknown",
      message: 'There is no profile "chef" here; the known ones are test. Start a conversation with one of them.',
    });
    expect(await b.timers()).toEqual([]);
  });

  it("that is larger than what a run can hold ends its run, and the conversation continues", async () => {
    const b = bundle();
    await b.start({ text: "\u0000".repeat(11_000) });
    expect((await b.events()).at(-1)).toMatchObject({ type: "run.failed", code: "message_too_large" });
    await b.start({ ...message(3), input: { alert: "x".repeat(40_000) } });
    expect((await b.events(run(3))).at(-1)).toMatchObject({
      code: "message_too_large",
      message: expect.stringContaining("The input takes"),
    });
    await b.start(message(2));
    expect(await conversationOf(b)).toMatchObject({ activeRun: run(2), runs: 3 });
  });
});

describe("a conversation", () => {
  it("adds up the usage of its runs, however they ended, and knows which model answered last", async () => {
    const b = bundle();
    await b.start();
    expect(await conversationOf(b)).toMatchObject({ usage: { modelCalls: 0 }, model: null });
    await b.turn([asks("look", "a")]);
    await b.answer(0);
    await b.turn([], "Done.");
    await b.start(message(2));
    await b.commit(cancelRun(await b.snapshot(run(2)), { entryId: "e", by: "ada" }, b.rules));
    expect(await conversationOf(b)).toMatchObject({
      runs: 2,
      usage: { inputTokens: 2, outputTokens: 2, modelCalls: 2, toolCalls: 1 },
      model: { provider: "test", model: "test" },
    });
  });

  it("is kept until 30 days after its last run", async () => {
    const b = bundle();
    const there = async () => (await b.state.read([keys.conversation(CONVERSATION)])).documents[0] !== null;
    await b.start();
    b.advance(40 * 86_400_000);
    expect(await there()).toBe(true);
    await b.turn([], "Done.");
    b.advance(29 * 86_400_000);
    await b.start(message(2));
    b.advance(2 * 86_400_000);
    await b.commit(cancelRun(await b.snapshot(run(2)), { entryId: "e", by: "ada" }, b.rules));
    b.advance(29 * 86_400_000);
    expect(await there()).toBe(true);
    b.advance(2 * 86_400_000);
    expect(await there()).toBe(false);
    expect(await b.transcript()).toEqual([]);
  });

  it("counts the events of each run as their log does", async () => {
    const b = bundle();
    await b.start();
    await b.start(message(2));
    await b.turn([asks("look", "a")]);
    await b.answer(0);
    await b.turn([], "Done.");
    for (const n of [1, 2]) expect((await b.snapshot(run(n))).run.value.events).toBe((await b.events(run(n))).length);
  });
});
