import { type ApprovalDecided, keys } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { acquire } from "../transitions/acquire.ts";
import { callDecided } from "../transitions/decided.ts";
import { takeEntry } from "../incoming/inbox.ts";
import { asks, bundle, CONVERSATION, ok, RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { commitTurn } from "../transitions/turn.ts";
import type { Turn } from "../transitions/turn-input.ts";

const SECOND = "rn_03_01JD0000000000000000000002";
const THIRD = "rn_03_01JD0000000000000000000003";

// The simulator found these cases. In each case, events that usually happen one after the other happen at the same moment, or in the opposite order.

describe("two agents that read the same documents", () => {
  it("do not both acquire the run", async () => {
    const b = bundle();
    await b.start();
    const snapshot = await b.snapshot();
    const claims = ["wake:1", "wake:2"].map((by) => acquire(snapshot, { by, redelivered: false }, b.rules));
    const outcomes = [];
    for (const claim of claims) outcomes.push(await b.commit(claim.kind === "acquired" ? claim.change : null));
    expect(outcomes).toEqual(["ok", "stale"]);
  });

  it("do not both commit a turn of one round: the second model's calls are never sent", async () => {
    const b = bundle();
    await b.start();
    const got = acquire(await b.snapshot(), { by: "wake", redelivered: false }, b.rules);
    await b.commit(got.kind === "acquired" ? got.change : null);
    const snapshot = await b.snapshot();
    const turns = [1, 2].map((n) => commitTurn({ snapshot, epoch: 1, turn: saying(n), tools: b.tools }, b.rules));
    expect([await b.commit(turns[0] ?? null), await b.commit(turns[1] ?? null)]).toEqual(["ok", "stale"]);
    expect((await b.call(0)).arguments).toBe('{"n":1}');
  });

  it("do not both accept a decision: the second one does not count", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("change")]);
    const snapshot = await b.snapshot();
    const rejected = callDecided(snapshot, decision("rejected"), undefined, b.rules);
    const approved = callDecided(snapshot, decision("approved"), "a.grant.text", b.rules);
    expect([await b.commit(rejected), await b.commit(approved)]).toEqual(["ok", "stale"]);
    expect((await b.call(0)).result?.status).toBe("denied");
  });
});

describe("a message that interrupts a run which ends at that very moment", () => {
  it("leaves the ended run unchanged, and waits behind the one that is active now", async () => {
    await using s = await readerUnderTest();
    await takeEntry(s.reader, RUN, RUN);
    await s.put(SECOND, { ...(await s.message()), entryId: SECOND, runId: SECOND });
    await s.put(THIRD, { ...(await s.message()), entryId: THIRD, runId: THIRD, ifActive: "interrupt" });
    await takeEntry(s.reader, SECOND, SECOND);
    const conversation = keys.conversation(CONVERSATION);
    let ended = false;
    const state: StateStore = {
      ...s.reader.state,
      async read(wanted) {
        const reply = await s.reader.state.read(wanted);
        if (!ended && wanted[0] === conversation) {
          ended = true;
          await s.b.turn([], "Done.");
        }
        return reply;
      },
    };
    await takeEntry({ ...s.reader, state }, THIRD, THIRD);
    expect((await s.b.snapshot()).run.value).toMatchObject({ status: "done", cancel: null });
    expect((await s.b.snapshot(SECOND)).run.value.cancel).not.toBeNull();
  });
});

describe("a write whose approval lapses while a read before it is open", () => {
  it("ends the round once when the read is answered: one result per call, one wake", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look", "a"), asks("change", "b")]);
    const { now } = await b.snapshot();
    const granted = { ...decision("approved", 1), grantExpiresAt: now + 1000, executeBy: now + 2000 };
    await b.commit(callDecided(await b.snapshot(), granted, "a.grant.text", b.rules));
    await b.sent();
    b.advance(5000);
    await b.answer(0, ok());
    expect((await b.transcript()).filter((entry) => entry.type === "result").map((entry) => entry.id)).toEqual(["a", "b"]);
    expect((await b.call(1)).result?.error?.code).toBe("approval_lapsed");
    expect((await b.sent()).map((message) => message.topic)).toEqual(["run.wake"]);
  });
});

describe("a write that is denied while the one before it is still undecided", () => {
  it("skips those that follow it, and not the one before", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("change", "a"), asks("change", "b"), asks("change", "c")]);
    await b.commit(callDecided(await b.snapshot(), decision("rejected", 1), undefined, b.rules));
    expect((await b.call(0)).state).toBe("requested");
    expect((await b.call(1)).result?.error?.code).toBe("denied_by_user");
    expect((await b.call(2)).result?.error?.code).toBe("skipped");
  });
});

function saying(n: number): Turn {
  return {
    provider: "test",
    model: "test",
    text: "",
    calls: [asks("change", "p", { n })],
    seed: false,
    truncated: false,
    usage: { inputTokens: 1, outputTokens: 1 },
  };
}

function decision(outcome: "approved" | "rejected", index = 0): ApprovalDecided {
  const toolCallId = `${RUN}.1.${index}`;
  return { toolCallId, approvalId: `ap_${toolCallId}`, outcome, decidedBy: ["user:bo"] };
}
