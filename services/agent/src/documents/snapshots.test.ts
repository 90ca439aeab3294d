import { shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { acquire } from "../transitions/acquire.ts";
import { cancelRun } from "../transitions/cancel.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { joinResult } from "../transitions/join.ts";
import { loadSnapshot } from "./load.ts";
import { snapshotAfter, snapshots } from "./snapshots.ts";
import { asks, type Bundle, bundle, ok, RUN } from "../testing/test-bundle.ts";
import { secretHash } from "@toolbus/grants";
import { commitTurn } from "../transitions/turn.ts";

const claimant = { by: "wake", redelivered: false };

/** Commits a change. Returns the guess of the run after the change, and the stored run. */
async function after(b: Bundle, before: Snapshot, change: Change | null) {
  if (!change) throw new Error("there is nothing to commit");
  const reply = await b.state.commit(shardOf(RUN), change);
  expect(reply.outcome).toBe("ok");
  return { guess: snapshotAfter(before, change, reply), stored: await loadSnapshot(b.state, RUN) };
}

async function acquired(b: Bundle) {
  const before = await b.snapshot();
  const got = acquire(before, claimant, b.rules);
  return got.kind === "acquired" ? after(b, before, got.change) : null;
}

async function turned(b: Bundle, calls: readonly ReturnType<typeof asks>[]) {
  await acquired(b);
  const snapshot = await b.snapshot();
  const turn = {
    provider: "p",
    model: "m",
    text: "",
    calls,
    seed: false,
    truncated: false,
    usage: { inputTokens: 1, outputTokens: 1 },
  };
  return after(b, snapshot, commitTurn({ snapshot, epoch: snapshot.run.value.epoch, turn, tools: b.tools }, b.rules));
}

async function joined(b: Bundle, index: number) {
  const before = await b.snapshot();
  const call = await b.call(index);
  const made = joinResult(before, { callId: call.callId, secretHash: secretHash(call.secret), result: ok("{}") }, b.rules);
  return after(b, before, made.kind === "join" ? made.change : null);
}

describe("a process's guess of a run that it has just committed", () => {
  it("equals the stored run, after every kind of step", async () => {
    const b = bundle();
    await b.start();
    const steps = [
      await acquired(b),
      await turned(b, [asks("look", "a"), asks("look", "b"), asks("change", "c")]),
      await joined(b, 0),
      await joined(b, 1),
    ];
    for (const step of steps) expect(step?.guess).toEqual(step?.stored);
  });

  it("has the calls of the next round and not those of the previous one", async () => {
    const b = bundle();
    await b.start();
    await turned(b, [asks("look", "a")]);
    await joined(b, 0);
    const { guess, stored } = await turned(b, [asks("look", "b"), asks("look", "c")]);
    expect(guess?.calls.map(({ value }) => value.transcriptId)).toEqual(["b", "c"]);
    expect(guess).toEqual(stored);
  });

  it("is empty when the run has ended, or when the change does not say who waits behind it", async () => {
    const b = bundle();
    await b.start();
    const before = await b.snapshot();
    const { guess } = await after(b, before, cancelRun(before, { entryId: "e", by: "user:ada" }, b.rules));
    expect(guess).toBeNull();
    const queue = [{ runId: "rn_03_01JD0000000000000000000002", accepted: 2, interrupts: false }];
    const behind = { ...before, conversation: { ...before.conversation, value: { ...before.conversation.value, queue } } };
    expect(snapshotAfter(behind, { op: "x", guards: [], put: [] }, { now: 1, commit: 1 })).toBeNull();
  });
});

describe("a guess", () => {
  async function written() {
    const b = bundle();
    await b.start();
    const known = snapshots(b.state, b.monotonic);
    const before = await b.snapshot();
    const got = acquire(before, claimant, b.rules);
    if (got.kind !== "acquired") throw new Error(got.kind);
    const reply = await b.state.commit(shardOf(RUN), got.change);
    known.written(before, got.change, reply);
    return { b, known, before, change: got.change, reply };
  }

  it("advances with the clock, and is dropped when it is old", async () => {
    const { b, known } = await written();
    b.advance(1500);
    expect(known.guess(RUN)?.now).toBe((await b.snapshot()).now);
    b.advance(501);
    expect(known.guess(RUN)).toBeNull();
  });

  it("is dropped when the store has lost commits", async () => {
    const { known, before, change, reply } = await written();
    known.written(before, change, { ...reply, rolledBack: true });
    expect(known.guess(RUN)).toBeNull();
  });

  it("that is behind the store is refused by the store, so that nothing is done twice", async () => {
    const { b, known } = await written();
    const behind = known.guess(RUN);
    await b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "user:ada" }, b.rules));
    expect(behind && (await b.commit(cancelRun(behind, { entryId: "e2", by: "user:bob" }, b.rules)))).toBe("stale");
  });
});
