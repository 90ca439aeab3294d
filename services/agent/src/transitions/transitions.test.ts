import { failedResult } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { acquire } from "./acquire.ts";
import { callDecided, callHeld } from "./decided.ts";
import { failRun, limitReached } from "./end.ts";
import { joinResult } from "./join.ts";
import { asks, bundle, ok, RUN } from "../testing/test-bundle.ts";
import { commitTurn } from "./turn.ts";
import { checkWaiting } from "./waiting.ts";

const SECOND = "rn_03_01JD0000000000000000000002";

describe("starting a run", () => {
  it("makes the first of a conversation ready and wakes it", async () => {
    const b = bundle();
    await b.start();
    expect((await b.snapshot()).run.value).toMatchObject({ status: "ready", ordinal: 1, round: 1 });
    expect((await b.sent()).map((message) => message.topic)).toEqual(["run.wake"]);
    expect(await b.timers()).toEqual([`run:${RUN}`]);
  });

  it("queues the second until the first has ended, however that ended", async () => {
    const b = bundle();
    await b.start();
    await b.start({ runId: SECOND, entryId: SECOND });
    expect((await b.snapshot(SECOND)).run.value.status).toBe("queued");
    await b.turn([], "Done.");
    expect((await b.snapshot()).run.value.status).toBe("done");
    const second = await b.snapshot(SECOND);
    expect(second.run.value).toMatchObject({ status: "ready", ordinal: 2 });
    expect(second.conversation.value).toMatchObject({ activeRun: SECOND, queue: [] });
  });

  it("adds a queued message to the transcript when its run begins, not between a turn and its results", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look", "a")]);
    await b.start({ runId: SECOND, entryId: SECOND, text: "And this." });
    await b.answer(0);
    expect((await b.transcript()).map((entry) => entry.type)).toEqual(["user", "assistant", "result"]);
    await b.turn([], "Done.");
    expect((await b.transcript()).map((entry) => entry.type)).toEqual(["user", "assistant", "result", "assistant", "user"]);
    expect((await b.transcript()).at(-1)).toMatchObject({ runId: SECOND, text: "And this." });
    expect((await b.snapshot(SECOND)).run.value.message).toBeNull();
  });

  it("taken twice starts one run", async () => {
    const b = bundle();
    await b.start();
    await b.start();
    expect((await b.events()).filter((event) => event.type === "run.started")).toHaveLength(1);
  });
});

describe("acquiring a run", () => {
  it("is refused while another holds the lease, but allowed for a redelivery of the very message that holds it", async () => {
    const b = bundle();
    await b.start();
    const first = acquire(await b.snapshot(), { by: "m1", redelivered: false }, b.rules);
    await b.commit(first.kind === "acquired" ? first.change : null);
    expect(acquire(await b.snapshot(), { by: "m2", redelivered: true }, b.rules).kind).toBe("leased");
    expect(acquire(await b.snapshot(), { by: "m1", redelivered: false }, b.rules).kind).toBe("leased");
    const again = acquire(await b.snapshot(), { by: "m1", redelivered: true }, b.rules);
    expect(again.kind === "acquired" && again.run.epoch).toBe(2);
  });

  it("takes over when the lease has expired, or when its owner died before the store was opened", async () => {
    const b = bundle();
    await b.start();
    const first = acquire(await b.snapshot(), { by: "m1", redelivered: false }, b.rules);
    await b.commit(first.kind === "acquired" ? first.change : null);
    const snapshot = await b.snapshot();
    expect(acquire(snapshot, { by: "m2", redelivered: false }, { ...b.rules, ownersDeadBefore: snapshot.now + 1 }).kind).toBe("acquired");
    b.advance(b.rules.config.RUN_LEASE_MS);
    expect(acquire(await b.snapshot(), { by: "m2", redelivered: false }, b.rules).kind).toBe("acquired");
  });

  it("fences the old holder: its turn is discarded", async () => {
    const b = bundle();
    await b.start();
    const old = acquire(await b.snapshot(), { by: "m1", redelivered: false }, b.rules);
    await b.commit(old.kind === "acquired" ? old.change : null);
    await b.commit(
      ((got) => (got.kind === "acquired" ? got.change : null))(acquire(await b.snapshot(), { by: "m1", redelivered: true }, b.rules)),
    );
    const turn = {
      provider: "t",
      model: "t",
      text: "old",
      calls: [],
      seed: false,
      truncated: false,
      usage: { inputTokens: 0, outputTokens: 0 },
    };
    expect(commitTurn({ snapshot: await b.snapshot(), epoch: 1, turn, tools: new Map() }, b.rules)).toBeNull();
  });
});

describe("a turn", () => {
  it("sends reads at once, at most eight, and answers the others with why they did not run", async () => {
    const b = bundle();
    await b.start();
    await b.sent();
    await b.turn(Array.from({ length: 10 }, (_, n) => asks("look", `c${n}`, { n })));
    const sent = await b.sent();
    expect(sent.filter((message) => message.topic === "tool.invoke.test")).toHaveLength(8);
    expect((await b.call(9)).result).toMatchObject({ status: "not_executed", truncated: true, error: { code: "not_executed" } });
    expect((await b.snapshot()).run.value.pending).toBe(8);
  });

  it("runs nothing of a turn with more than 32 calls", async () => {
    const b = bundle();
    await b.start();
    await b.turn(Array.from({ length: 40 }, (_, n) => asks("look", `c${n}`)));
    const { run } = await b.snapshot();
    expect(run.value).toMatchObject({ pending: 0, status: "ready" });
    expect((await b.sent()).filter((message) => message.topic.startsWith("tool.invoke"))).toEqual([]);
  });

  it("answers an unknown tool and wrong arguments without sending anything", async () => {
    const b = bundle();
    await b.start();
    await b.turn([
      asks("erase_everything"),
      asks("look", "x", { n: "many" }),
      { id: "y", name: "look", arguments: '{"n":1,"n":2}' },
      { id: "z", name: "look", arguments: "not json" },
    ]);
    expect((await b.call(0)).result).toMatchObject({
      status: "unknown_tool",
      error: { code: "tool_not_found", message: expect.stringContaining("change, look") },
    });
    expect((await b.call(1)).result).toMatchObject({
      status: "validation_error",
      error: { details: [{ path: "/n", message: expect.any(String) }] },
    });
    expect((await b.call(2)).result?.status).toBe("validation_error");
    expect((await b.call(3)).result?.status).toBe("validation_error");
    // Viewers see the fault of the arguments, as the model does.
    const [, wrong] = (await b.events()).filter((event) => event.type === "call.resolved");
    expect(JSON.parse(wrong?.content ?? "")).toMatchObject({
      error: "invalid_arguments",
      class: "ToolUserError",
      details: [{ path: "/n" }],
    });
    expect((await b.snapshot()).run.value.status).toBe("ready");
  });

  it("shows people and the model the arguments that the model wrote, also if they cannot be used", async () => {
    const b = bundle();
    await b.start();
    await b.turn([
      asks("look", "w", { n: "many" }),
      { id: "x", name: "look", arguments: "not json" },
      { id: "y", name: "look", arguments: "[1]" },
      asks("look", "z", { n: "1".repeat(31 * 1024) }),
    ]);
    const written = ['{"n":"many"}', "{}", "{}", "{}"];
    const turn = (await b.events()).find((event) => event.type === "turn");
    expect(turn?.calls.map((call) => call.arguments)).toEqual(written);
    const said = (await b.transcript()).find((entry) => entry.type === "assistant");
    expect(said?.calls.map((call) => call.arguments)).toEqual(written);
    // Nothing is sent, so no arguments are executed.
    expect((await b.call(0)).arguments).toBe("{}");
  });

  it("pairs by its own ids if the provider's are empty or repeat", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look", ""), asks("look", "same"), asks("look", "same")]);
    const ids = [await b.call(0), await b.call(1), await b.call(2)].map((call) => call.transcriptId);
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe("same");
  });

  it("stays within what one document holds, whatever the model and its tools say", async () => {
    const b = bundle();
    await b.start();
    const large = '"\n'.repeat(3000);
    await b.turn(
      [
        { id: "a", name: "look", arguments: JSON.stringify({ s: large }) },
        { id: "b", name: "look", arguments: JSON.stringify({ s: large }) },
        asks("look", "c"),
      ],
      "é".repeat(60_000),
    );
    expect((await b.call(0)).state).toBe("dispatched");
    expect((await b.call(1)).result).toMatchObject({
      status: "validation_error",
      error: { message: expect.stringContaining("too large") },
    });
    expect(await b.answer(0, ok("x".repeat(48 * 1024)))).toBe("ok");
    expect(await b.answer(2, ok("x".repeat(48 * 1024)))).toBe("ok");
    const [, turn] = await b.transcript();
    expect(turn?.type === "assistant" && turn.text).toMatch(/characters left out\]$/);
  });

  it("without calls ends the run with the model's answer", async () => {
    const b = bundle();
    await b.start();
    await b.turn([], "All is well.");
    expect((await b.events()).at(-1)).toMatchObject({ type: "run.completed", text: "All is well." });
    expect(await b.timers()).toEqual([]);
  });
});

describe("joining results", () => {
  it("joins each once, and the last one makes the run ready with results in index order", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look", "a", { n: 1 }), asks("look", "b", { n: 2 })]);
    expect(await b.answer(1, ok("second"))).toBe("ok");
    expect((await b.snapshot()).run.value).toMatchObject({ status: "waiting", pending: 1 });
    expect(await b.answer(1, ok("another"))).toBe("none");
    expect(await b.answer(0, ok("first"))).toBe("ok");
    expect((await b.snapshot()).run.value).toMatchObject({ status: "ready", pending: 0 });
    expect((await b.transcript()).flatMap((entry) => (entry.type === "result" ? [[entry.id, entry.content]] : []))).toEqual([
      ["a", "first"],
      ["b", "second"],
    ]);
  });

  it("drops an answer that does not know the secret, or that nobody asked for, and reports a different second one", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look", "a"), asks("look", "b")]);
    const { callId } = await b.call(0);
    const snapshot = await b.snapshot();
    expect(joinResult(snapshot, { callId, secretHash: "sha256-wrong", result: ok() }, b.rules)).toMatchObject({ kind: "orphan" });
    expect(joinResult(snapshot, { callId: `${RUN}.9.9`, secretHash: "x", result: ok() }, b.rules)).toMatchObject({ kind: "orphan" });
    await b.answer(0, ok("one"));
    const call = await b.call(0);
    expect(joinResult(await b.snapshot(), { callId, secretHash: null, result: ok("two") }, b.rules)).toEqual({
      kind: "duplicate",
      differs: true,
    });
    expect(call.result?.content).toBe("one");
  });
});

describe("writes", () => {
  const grant = "a.b.c";
  const decided = (callId: string, outcome: "approved" | "rejected", now: number) => ({
    toolCallId: callId,
    approvalId: `ap_${callId}`,
    outcome,
    grantExpiresAt: now + 900_000,
    executeBy: now + 86_400_000,
  });

  async function twoWrites() {
    const b = bundle();
    await b.start();
    await b.sent();
    await b.turn([asks("look", "r"), asks("change", "w1", { n: 1 }), asks("change", "w2", { n: 2 })]);
    return b;
  }

  it("ask for all grants at once, and run one after another after the reads", async () => {
    const b = await twoWrites();
    expect((await b.sent()).map((message) => message.topic).toSorted()).toEqual([
      "approval.request",
      "approval.request",
      "tool.invoke.test",
    ]);
    for (const index of [1, 2]) {
      const { callId } = await b.call(index);
      await b.commit(callDecided(await b.snapshot(), decided(callId, "approved", (await b.snapshot()).now), grant, b.rules));
    }
    expect((await b.sent()).filter((message) => message.topic === "tool.invoke.test")).toEqual([]);
    await b.answer(0);
    const [first, ...more] = (await b.sent()).filter((message) => message.topic === "tool.invoke.test");
    expect(first).toMatchObject({ correlationId: (await b.call(1)).callId, attributes: { "toolbus-grant": grant } });
    expect(more).toEqual([]);
    await b.answer(1);
    expect((await b.sent()).find((message) => message.topic === "tool.invoke.test")?.correlationId).toBe((await b.call(2)).callId);
  });

  it("are skipped after a denied one, and their requests are withdrawn", async () => {
    const b = await twoWrites();
    await b.answer(0);
    const { callId } = await b.call(1);
    await b.sent();
    await b.commit(callDecided(await b.snapshot(), { ...decided(callId, "rejected", 0), comment: "not now" }, undefined, b.rules));
    expect((await b.call(1)).result).toMatchObject({ status: "denied", error: { code: "denied_by_user", class: "ToolPolicyError" } });
    expect(JSON.parse((await b.call(1)).result?.content ?? "")).toMatchObject({
      reason: "APPROVAL_DENIED",
      message: expect.stringContaining("not now"),
    });
    expect((await b.call(2)).result?.error?.code).toBe("skipped");
    expect((await b.sent()).map((message) => message.topic).toSorted()).toEqual(["approval.cancel", "run.wake"]);
    expect((await b.snapshot()).run.value.status).toBe("ready");
  });

  it("stop the run's clock while people decide", async () => {
    const b = await twoWrites();
    await b.answer(0);
    const now = (await b.snapshot()).now;
    for (const index of [1, 2]) {
      const { callId } = await b.call(index);
      await b.commit(
        callHeld(
          await b.snapshot(),
          { toolCallId: callId, approvalId: `ap_${callId}`, tier: "high", expiresAt: now + 900_000, effect: "Changes it." },
          b.rules,
        ),
      );
    }
    expect((await b.call(1)).state).toBe("held");
    expect((await b.events()).filter((event) => event.type === "call.held")).toHaveLength(2);
    b.advance(600_000);
    for (const index of [1, 2]) {
      const { callId } = await b.call(index);
      await b.commit(callDecided(await b.snapshot(), decided(callId, "approved", (await b.snapshot()).now), grant, b.rules));
      await b.answer(index);
    }
    expect((await b.snapshot()).run.value.activeMs).toBeLessThan(10_000);
  });

  it("approved without a grant stay where they are", async () => {
    const b = await twoWrites();
    const { callId } = await b.call(1);
    expect(callDecided(await b.snapshot(), decided(callId, "approved", 0), undefined, b.rules)).toBeNull();
  });

  it("whose grant is about to end when their turn comes ask for a fresh one", async () => {
    const b = await twoWrites();
    const { callId } = await b.call(1);
    await b.commit(callDecided(await b.snapshot(), decided(callId, "approved", (await b.snapshot()).now), grant, b.rules));
    await b.sent();
    b.advance(880_000);
    await b.answer(0);
    expect(await b.call(1)).toMatchObject({ state: "requested", requests: 2 });
  });
});

describe("limits", () => {
  it("end a run by rounds, by active time, by loops and by poison, each with its own code", async () => {
    const b = bundle();
    await b.start();
    const snapshot = await b.snapshot();
    const reached = (part: object) =>
      limitReached({ ...snapshot, run: { ...snapshot.run, value: { ...snapshot.run.value, ...part } } }, b.rules)?.code;
    expect(reached({})).toBeUndefined();
    expect(reached({ round: 5 })).toBeUndefined();
    expect(reached({ round: 6 })).toBe("round_limit");
    expect(reached({ activeMs: 30_000 })).toBe("time_limit");
    expect(reached({ attempts: 10 })).toBe("poison_run");
    expect(reached({ repeats: { key: "k", count: 3 } })).toBe("loop");
    await b.commit(failRun(snapshot, { code: "round_limit", message: "Too many." }, b.rules));
    expect((await b.events()).at(-1)).toMatchObject({ type: "run.failed", code: "round_limit" });
  });

  it("end a read that nobody answers when the active time is used up", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look", "r")]);
    await b.commit(checkWaiting(await b.snapshot(), b.rules));
    expect((await b.call(0)).state).toBe("dispatched");
    b.advance(31_000);
    await b.commit(checkWaiting(await b.snapshot(), b.rules));
    expect((await b.call(0)).result?.status).toBe("timeout");
    expect((await b.snapshot()).run.value.status).toBe("ready");
  });

  it("count repeated requests for the same calls", async () => {
    const b = bundle();
    await b.start();
    for (let n = 0; n < 3; n++) {
      await b.turn([asks("look", `r${n}`, { n: 7 })]);
      await b.answer(0, failedResult("unavailable", "down"));
    }
    expect(limitReached(await b.snapshot(), b.rules)?.code).toBe("loop");
  });
});
