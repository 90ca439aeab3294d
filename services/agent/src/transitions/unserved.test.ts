import { SEEN_FOR_MS } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { Profile } from "../profile.ts";
import { callDecided } from "./decided.ts";
import { redispatch } from "./redispatch.ts";
import { asks, bundle, ok } from "../testing/test-bundle.ts";
import { LOOK_AGAIN_MS } from "./unserved.ts";
import { checkWaiting } from "./waiting.ts";

const ACTIVE_MS = 30_000;
const AWAY_MS = 600_000;

describe("the time in which no worker of a call's tool lives", () => {
  it("is reported once, with its start, and does not count as active time", async () => {
    const { b, look, sentAt } = await sent();
    const lastSeen = sentAt + 5000;
    b.advance(5000 + SEEN_FOR_MS + 1);
    await look(lastSeen);
    b.advance(AWAY_MS);
    await look(lastSeen);
    const reported = (await b.events()).filter(({ type }) => type === "call.unserved");
    expect(reported).toMatchObject([{ tool: "look", toolset: "test", since: lastSeen }]);
    await b.answer(0, ok());
    expect((await b.snapshot()).run.value).toMatchObject({ status: "ready", activeMs: 5000 });
  });

  it("begins when the call was sent, if the worker had gone before", async () => {
    const { b, look, sentAt } = await sent();
    b.advance(1000);
    await look(sentAt - SEEN_FOR_MS);
    expect((await b.call(0)).unservedSince).toBe(sentAt);
    b.advance(AWAY_MS);
    await b.answer(0, ok());
    expect((await b.snapshot()).run.value.activeMs).toBe(0);
  });

  it("ends with the next heartbeat, and later time counts again", async () => {
    const { b, look, sentAt } = await sent();
    b.advance(1000);
    await look(sentAt - SEEN_FOR_MS);
    b.advance(AWAY_MS);
    await look(b.monotonic());
    expect((await b.call(0)).unservedSince).toBeUndefined();
    b.advance(7000);
    await b.answer(0, ok());
    expect((await b.snapshot()).run.value.activeMs).toBe(7000);
  });

  it("is known at once if the last worker announced that it stops", async () => {
    const { b, callId, sentAt } = await sent();
    b.advance(3000);
    const seen = { lastSeenAt: sentAt, leftAt: sentAt + 1000 };
    await b.commit(redispatch(await b.snapshot(), callId, null, b.rules, { ...UNASKED, seen }));
    expect((await b.call(0)).unservedSince).toBe(sentAt + 1000);
  });

  it("includes that of a tool that is no longer registered", async () => {
    const { b, look, sentAt } = await sent();
    b.advance(1000);
    await look(null);
    expect((await b.call(0)).unservedSince).toBe(sentAt);
  });

  it("does not include that of a living but slow worker, or of a tool that nobody called", async () => {
    const { b, look } = await sent();
    b.advance(ACTIVE_MS);
    await look(b.monotonic());
    await look(undefined);
    expect((await b.call(0)).unservedSince).toBeUndefined();
    await b.answer(0, ok());
    expect((await b.snapshot()).run.value.activeMs).toBe(ACTIVE_MS);
  });

  it("does not count as active when the write was sent and its worker is gone, and adds to the people's time", async () => {
    const { b, callId, sentAt } = await sentWrite();
    b.advance(SEEN_FOR_MS + 1);
    await b.commit(redispatch(await b.snapshot(), callId, null, b.rules, { ...UNASKED, seen: { lastSeenAt: sentAt } }));
    b.advance(AWAY_MS);
    await b.answer(0, ok());
    expect((await b.snapshot()).run.value.activeMs).toBe(2000);
  });
});

describe("a call that takes long", () => {
  it("is looked at every 15 s, so that a worker which stops in the middle is noted by then, and its return too", async () => {
    const { b, callId, look } = await sent();
    const isDue = async () =>
      (await b.state.claim("agent", "timer", { limit: 10, visibleAfter: 1 })).some(({ id }) => id === `call:${callId}`);
    for (const ms of [2000, LOOK_AGAIN_MS, LOOK_AGAIN_MS, LOOK_AGAIN_MS]) {
      b.advance(ms);
      expect(await isDue()).toBe(true);
      await look(b.monotonic());
    }
    const leftAt = b.monotonic() + 1000;
    b.advance(LOOK_AGAIN_MS);
    expect(await isDue()).toBe(true);
    const seen = { lastSeenAt: leftAt - 1000, leftAt };
    await b.commit(redispatch(await b.snapshot(), callId, null, b.rules, { ...UNASKED, seen }));
    expect((await b.call(0)).unservedSince).toBe(leftAt);
    b.advance(LOOK_AGAIN_MS);
    expect(await isDue()).toBe(true);
    await look(b.monotonic());
    expect((await b.call(0)).unservedSince).toBeUndefined();
  });

  it("is not sent again for that", async () => {
    const { b, look } = await sent();
    b.advance(2000);
    await look(b.monotonic());
    b.advance(LOOK_AGAIN_MS);
    await look(b.monotonic());
    expect((await b.call(0)).dispatch).toBe(1);
  });
});

describe("a call to a worker that has given no sign of life since it was sent", () => {
  it("is looked at again as soon as that says that it is gone", async () => {
    const { b, look, sentAt } = await sent();
    const lastSeen = sentAt - 10_000;
    // The call is sent again automatically after 20 s, 60 s and 140 s.
    for (const ms of [20_000, 40_000]) {
      b.advance(ms);
      await look(lastSeen);
    }
    b.advance(20_001);
    const due = await b.state.claim("agent", "timer", { limit: 10, visibleAfter: 1 });
    expect(due.map(({ id }) => id)).toContain(`call:${(await b.call(0)).callId}`);
    await look(lastSeen);
    expect((await b.call(0)).unservedSince).toBe(sentAt);
  });

  it("is not ended by the run's active time before it is known whether the worker lives", async () => {
    const { b, wait, sentAt } = await sent();
    const lastSeen = sentAt - 10_000;
    b.advance(ACTIVE_MS + 1000);
    await wait(lastSeen);
    expect((await b.call(0)).state).toBe("dispatched");
    b.advance(SEEN_FOR_MS - ACTIVE_MS);
    await wait(lastSeen);
    expect(await b.call(0)).toMatchObject({ state: "dispatched", unservedSince: sentAt });
    b.advance(AWAY_MS);
    await wait(lastSeen);
    await b.answer(0, ok());
    expect((await b.snapshot()).run.value).toMatchObject({ status: "ready", activeMs: 0 });
  });

  it("is ended by it when the worker sends a heartbeat, but no answer", async () => {
    const { b, wait, sentAt } = await sent();
    b.advance(ACTIVE_MS + 1000);
    await wait(sentAt - 10_000);
    await wait(b.monotonic());
    expect((await b.call(0)).result?.status).toBe("timeout");
  });
});

describe("a profile that reports it to the model", () => {
  const limits = { maxRounds: 5, activeMs: 30_000, maxTools: 12, maxTokens: 1000, noWorkerMs: 4000 };
  const gone = async (seen: object = {}) => {
    const { b, callId, sentAt } = await sent({ limits });
    b.advance(2000);
    const left = { lastSeenAt: sentAt - 5000, leftAt: sentAt - 1000, ...seen };
    const look = async () => b.commit(redispatch(await b.snapshot(), callId, null, b.rules, { ...UNASKED, seen: left }));
    await look();
    return { b, look };
  };

  it("answers a read so after that time, and looks at it then", async () => {
    const { b, look } = await gone();
    expect((await b.call(0)).state).toBe("dispatched");
    b.advance(2000);
    const due = await b.state.claim("agent", "timer", { limit: 10, visibleAfter: 1 });
    expect(due.map(({ id }) => id)).toContain(`call:${(await b.call(0)).callId}`);
    await look();
    const { result } = await b.call(0);
    expect(result).toMatchObject({ status: "not_executed", error: { code: "no_worker", retryable: true } });
    expect(result?.content).toMatch(/No worker of \\"test\\" has been alive since [0-9: -]+ UTC, so \\"look\\" was not run\./);
    expect((await b.snapshot()).run.value).toMatchObject({ status: "ready", activeMs: 0 });
  });

  it("waits for a toolset that may be scaled to zero", async () => {
    const { b, look } = await gone({ scalesToZero: true });
    b.advance(AWAY_MS);
    await look();
    expect((await b.call(0)).state).toBe("dispatched");
  });

  it("keeps waiting when a worker comes back in time", async () => {
    const { b, look } = await gone();
    b.advance(1000);
    await b.commit(
      redispatch(await b.snapshot(), (await b.call(0)).callId, null, b.rules, { ...UNASKED, seen: { lastSeenAt: b.monotonic() } }),
    );
    b.advance(AWAY_MS);
    expect((await b.call(0)).state).toBe("dispatched");
    await look();
    expect((await b.call(0)).result?.error?.code).toBe("no_worker");
  });

  it("leaves a write that was sent to its ledger", async () => {
    const { b, callId } = await sentWrite({ limits });
    b.advance(AWAY_MS);
    const seen = { lastSeenAt: 1, leftAt: 1 };
    await b.commit(redispatch(await b.snapshot(), callId, null, b.rules, { ...UNASKED, seen }));
    expect(await b.call(0)).toMatchObject({ state: "dispatched", unservedSince: expect.any(Number) });
  });
});

const UNASKED = { asked: false, unproven: false, forgetful: false } as const;

/** Returns a sent read, with functions that handle the timers of its call and its run. `seen` is the time of the worker's last heartbeat. */
async function sent(profile: Partial<Profile> = {}) {
  const b = bundle({ profile });
  await b.start();
  await b.turn([asks("look", "r")]);
  const { callId, sentAt } = await b.call(0);
  return {
    b,
    callId,
    sentAt,
    look: async (seen: number | null | undefined) =>
      b.commit(redispatch(await b.snapshot(), callId, null, b.rules, { ...UNASKED, seen: signOf(seen) })),
    wait: async (seen: number | null | undefined) => b.commit(checkWaiting(await b.snapshot(), b.rules, () => signOf(seen))),
  };
}

/** Returns a write that was sent 2 s after its request, when a person had approved it. */
async function sentWrite(profile: Partial<Profile> = {}) {
  const b = bundle({ profile });
  await b.start();
  await b.turn([asks("change", "w")]);
  const { callId } = await b.call(0);
  b.advance(2000);
  const decided = { toolCallId: callId, approvalId: `ap_${callId}`, outcome: "approved" as const, decidedBy: ["ana"] };
  await b.commit(callDecided(await b.snapshot(), decided, "grant", b.rules));
  return { b, callId, sentAt: b.monotonic() };
}

/** Returns what the registry says after a heartbeat at `seen`. */
function signOf(seen: number | null | undefined) {
  return typeof seen === "number" ? { lastSeenAt: seen } : seen;
}
