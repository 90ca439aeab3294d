import { keys, parseInboxEntry, shardOf } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { completed } from "../testing/agent-under-test.ts";
import { type Asking, type Options, type Person, setup, START, until } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const post = (body: Asking["body"] = {}, headers: Asking["headers"] = {}): Asking => ({ method: "POST", body, headers });

describe("a run that waits for people", () => {
  it("says which approval it waits for", async () => {
    await using t = await setupRun();
    const callId = `${t.runId}.1.0`;
    await t.agent.call(callId, { state: "held", approvalId: `ap_${callId}`, approvalExpiresAt: START + 900_000 });
    expect((await t.ask("una", t.url)).body).toMatchObject({
      status: "awaiting_approval",
      openCalls: [callId],
      awaiting: [{ kind: "approval", callId, tool: "issue_refund", approvalId: `ap_${callId}`, expiresAt: START + 900_000 }],
    });
  });

  it("says which question it asks", async () => {
    await using t = await setupRun();
    const callId = await t.asks();
    expect((await t.ask("una", t.url)).body).toMatchObject({
      status: "awaiting_answer",
      awaiting: [{ kind: "answer", callId, tool: "ask_user", question: "Which one?", options: ["a", "b"], expiresAt: START + 86_400_000 }],
    });
  });

  it("waits for an approval first, and lists everything that it waits for", async () => {
    await using t = await setupRun();
    await t.asks();
    await t.agent.call(`${t.runId}.1.1`, { state: "held", approvalId: `ap_${t.runId}.1.1` });
    await t.agent.call(`${t.runId}.1.2`, { state: "dispatched" });
    const { body } = await t.ask("una", t.url);
    expect(body["status"]).toBe("awaiting_approval");
    expect(body["awaiting"]).toMatchObject([{ kind: "answer" }, { kind: "approval" }]);
    expect(body["openCalls"]).toHaveLength(3);
  });

  it("waits for nobody while only tools work, and says so while it is being cancelled", async () => {
    await using t = await setupRun();
    await t.agent.call(`${t.runId}.1.0`, { state: "dispatched" });
    expect((await t.ask("una", t.url)).body).toMatchObject({ status: "waiting", awaiting: [] });
    await t.asks(1);
    await t.agent.cancel(t.runId);
    expect((await t.ask("una", t.url)).body["status"]).toBe("cancelling");
  });
});

describe("POST /v1/runs/{id}/answers", () => {
  it("accepts the owner's answer for the agent, which is notified at once", async () => {
    await using t = await setupRun();
    const callId = await t.asks();
    const answer = await t.ask("una", `${t.url}/answers`, post({ callId, text: "The first." }));
    expect(answer).toMatchObject({ status: 202, body: { runId: t.runId, status: "awaiting_answer" } });
    const entryId = `${t.runId}!answer.1.0`;
    await until(() => t.wakes.some(({ body }) => JSON.parse(body).entryId === entryId));
    const { documents } = await t.store.read([keys.inbox(shardOf(t.runId), entryId)]);
    expect(parseInboxEntry(documents[0]?.value)).toEqual({
      ok: true,
      value: { kind: "answer", entryId, runId: t.runId, callId, agent: "default", by: "una", text: "The first.", acceptedAt: START },
    });
  });

  it("accepts one answer to a question, the first of several that arrive at the same moment", async () => {
    const { wrapStore, hold } = together(3);
    await using t = await setupRun({ wrapStore });
    const callId = await t.asks();
    hold();
    const racing = await Promise.all(["a", "b", "c"].map((text) => t.ask("una", `${t.url}/answers`, post({ callId, text }))));
    expect(racing.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const answer of racing.filter(({ status }) => status !== 202)) {
      expect(problemOf(answer)).toEqual({ status: 409, code: "not_asked" });
      expect(answer.body["detail"]).toBe("This question has already been answered.");
    }
  });

  it("gives a repeat of its key the first answer, also if the run has continued, and refuses another text under it", async () => {
    await using t = await setupRun();
    const callId = await t.asks();
    const asking = post({ callId, text: "a" }, { "idempotency-key": "k" });
    const first = await t.ask("una", `${t.url}/answers`, asking);
    await t.agent.call(callId, { state: "resolved" });
    await t.agent.say(t.runId, completed);
    const repeat = await t.ask("una", `${t.url}/answers`, asking);
    expect([first.status, repeat.status, repeat.headers.get("idempotent-replay")]).toEqual([202, 202, "true"]);
    const other = post({ callId, text: "b" }, { "idempotency-key": "k" });
    expect(problemOf(await t.ask("una", `${t.url}/answers`, other))).toEqual({ status: 422, code: "idempotency_key_reused" });
  });

  it.each<{ what: string; state: "held" | "dispatched" | "resolved" }>([
    { what: "a write that waits for approval", state: "held" },
    { what: "a running call", state: "dispatched" },
    { what: "a call that has its result", state: "resolved" },
  ])("refuses an answer to $what", async ({ state }) => {
    await using t = await setupRun();
    await t.agent.call(`${t.runId}.1.0`, { state });
    const answer = await t.ask("una", `${t.url}/answers`, post({ callId: `${t.runId}.1.0`, text: "a" }));
    expect(problemOf(answer)).toEqual({ status: 409, code: "not_asked" });
  });

  it("refuses an answer to a call that was never made, and one that comes too late", async () => {
    await using t = await setupRun();
    const callId = await t.asks();
    expect(problemOf(await t.ask("una", `${t.url}/answers`, post({ callId: `${t.runId}.9.0`, text: "a" }))).code).toBe("not_asked");
    t.clock.now = START + 86_400_000;
    const late = await t.ask("una", `${t.url}/answers`, post({ callId, text: "a" }));
    expect(problemOf(late).code).toBe("not_asked");
    expect(late.body["detail"]).toBe("The time to answer is over.");
  });

  it("refuses an answer to a run that has ended, or that has not begun", async () => {
    await using t = await setupRun();
    const callId = await t.asks();
    await t.agent.say(t.runId, completed);
    expect(problemOf(await t.ask("una", `${t.url}/answers`, post({ callId, text: "a" })))).toEqual({ status: 409, code: "run_ended" });
    const fresh = await t.accepted();
    expect(problemOf(await t.ask("una", `/v1/runs/${fresh}/answers`, post({ callId: `${fresh}.1.0`, text: "a" }))).code).toBe("not_asked");
  });

  it("refuses a call of another run", async () => {
    await using t = await setupRun();
    const other = await t.accepted();
    const answer = await t.ask("una", `${t.url}/answers`, post({ callId: `${other}.1.0`, text: "a" }));
    expect(problemOf(answer)).toEqual({ status: 400, code: "invalid_request" });
    expect(answer.body["errors"]).toEqual([{ path: "/callId", message: `must be a call of ${t.runId}` }]);
  });

  it.each<{ who: Person; problem: { status: number; code: string } }>([
    { who: "otto", problem: { status: 403, code: "forbidden" } },
    { who: "ugo", problem: { status: 404, code: "not_found" } },
    { who: "olga", problem: { status: 404, code: "not_found" } },
    { who: "amy", problem: { status: 403, code: "forbidden" } },
  ])("is not for $who", async ({ who, problem }) => {
    await using t = await setupRun();
    const callId = await t.asks();
    expect(problemOf(await t.ask(who, `${t.url}/answers`, post({ callId, text: "a" })))).toEqual(problem);
  });

  it.each<{ body: Asking["body"] & object }>([
    { body: {} },
    { body: { text: "a" } },
    { body: { callId: "call_1", text: "a" } },
    { body: { callId: "rn_05_01JD0000000000000000000001.1.0", text: "" } },
    { body: { callId: "rn_05_01JD0000000000000000000001.1.0", text: "a", by: "una" } },
  ])("refuses the body $body", async ({ body }) => {
    await using t = await setupRun();
    expect(problemOf(await t.ask("una", `${t.url}/answers`, post(body)))).toEqual({ status: 400, code: "invalid_request" });
  });
});

describe("a cancel with an Idempotency-Key", () => {
  it("gets the first answer when it is repeated, however the run has ended by then", async () => {
    await using t = await setupRun();
    const asking = post({}, { "idempotency-key": "k" });
    const first = await t.ask("una", `${t.url}/cancel`, asking);
    await t.agent.say(t.runId, completed);
    const repeat = await t.ask("una", `${t.url}/cancel`, asking);
    expect([first.status, first.headers.get("idempotent-replay")]).toEqual([202, null]);
    expect([repeat.status, repeat.headers.get("idempotent-replay")]).toEqual([202, "true"]);
    expect(problemOf(await t.ask("una", `${t.url}/cancel`, post({}, { "idempotency-key": "other" })))).toEqual({
      status: 409,
      code: "run_ended",
    });
  });

  it("accepts an empty body with a JSON content type, and no body", async () => {
    await using t = await setupRun();
    expect(
      (await t.ask("una", `${t.url}/cancel`, { method: "POST", body: "", headers: { "content-type": "application/json" } })).status,
    ).toBe(202);
    expect((await t.ask("una", `${t.url}/cancel`, { method: "POST" })).status).toBe(202);
  });
});

/** Starts a gateway with one run of una's that its agent has taken. */
async function setupRun(options: Options = {}) {
  const t = await setup(options);
  const runId = await t.accepted();
  await t.agent.take(runId);
  return {
    ...t,
    runId,
    url: `/v1/runs/${runId}`,
    /** Makes the run ask a question and returns the call. */
    async asks(index = 0): Promise<string> {
      const callId = `${runId}.1.${index}`;
      const args = JSON.stringify({ options: ["a", "b"], question: "Which one?" });
      await t.agent.call(callId, { toolName: "ask_user", kind: "read", state: "asked", arguments: args, askExpiresAt: START + 86_400_000 });
      return callId;
    },
  };
}

/** Returns a store that delays commits after `hold`. It makes them together when this number of commits waits, so no commit has seen another one. */
function together(count: number) {
  const { promise: all, resolve: release } = Promise.withResolvers<void>();
  let waiting = -1;
  const wrapStore: NonNullable<Options["wrapStore"]> = (state) => ({
    ...state,
    async commit(shard, change) {
      if (waiting >= 0 && change.op.startsWith("accept:")) {
        if (++waiting === count) release();
        await all;
      }
      return state.commit(shard, change);
    },
  });
  return { wrapStore, hold: () => void (waiting = 0) };
}
