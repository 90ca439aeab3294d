import { type CallQuestions, type Json, keys, parseQuestionAnswer, shardOf, type ToolQuestion } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { completed } from "../testing/agent-under-test.ts";
import { type Asking, type Options, type Person, setup, START } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

const post = (body: Asking["body"] = {}, headers: Asking["headers"] = {}): Asking => ({ method: "POST", body, headers });
const ID = `q_${"a".repeat(32)}`;
const FORM = { type: "object", properties: { name: { type: "string", pattern: "^[A-Z]" } }, required: ["name"] };
const EXPIRES_AT = START + 58_000;

describe("a question of a tool", () => {
  it("is in the view of the run and in the list, with its source, as words that strangers may have written", async () => {
    await using t = await setupQuestion();
    const awaited = {
      kind: "question",
      callId: t.callId,
      questionId: ID,
      from: "mcp:forms",
      untrusted: true,
      question: "Who?",
      form: FORM,
    };
    const { body } = await t.ask("una", `/v1/runs/${t.runId}`);
    expect(body).toMatchObject({ status: "awaiting_answer", awaiting: [{ ...awaited, expiresAt: EXPIRES_AT }] });
    expect(body["waits"]).toMatchObject([{ kind: "answer", says: expect.stringContaining("mcp:forms"), until: EXPIRES_AT }]);
    expect((await t.ask("una", "/v1/runs")).body).toMatchObject({ runs: [{ status: "awaiting_answer", awaiting: [awaited] }] });
  });

  it("is over at its deadline, or when its worker ended it, although no message says so", async () => {
    await using t = await setupQuestion();
    t.clock.now = EXPIRES_AT;
    expect((await t.ask("una", `/v1/runs/${t.runId}`)).body).toMatchObject({ status: "waiting", awaiting: [] });
    t.clock.now = START;
    await t.question({ ended: { outcome: "interrupted", at: START } });
    expect((await t.ask("una", `/v1/runs/${t.runId}`)).body).toMatchObject({ status: "waiting", awaiting: [] });
  });
});

describe("POST /v1/runs/{id}/question-answers", () => {
  it("stores the requester's first answer, and refuses every later one", async () => {
    await using t = await setupQuestion();
    const racing = await Promise.all(["Una", "Ugo"].map((name) => t.answer("una", { action: "accept", content: { name } })));
    expect(racing.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    const stored = await t.stored();
    expect(stored).toMatchObject({ ok: true, value: { questionId: ID, action: "accept", by: "una", at: START } });
    const later = await t.answer("una", { action: "decline" });
    expect([problemOf(later).code, later.body["detail"]]).toEqual(["not_asked", "This question has already been answered."]);
    expect(await t.stored()).toEqual(stored);
  });

  it("gives a repeat of its key the first answer, and refuses another answer under it", async () => {
    await using t = await setupQuestion();
    const headers = { "idempotency-key": "k" };
    const answers = [
      await t.answer("una", { action: "decline" }, headers),
      await t.answer("una", { action: "decline" }, headers),
      await t.answer("una", { action: "accept", content: { name: "Una" } }, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 422]);
    expect(answers[1]?.headers.get("idempotent-replay")).toBe("true");
  });

  it.each<[string, Partial<ToolQuestion>, string]>([
    ["of an attempt that has ended", { ended: { outcome: "interrupted", at: START } }, "The next attempt asks again."],
    ["that was withdrawn", { ended: { outcome: "cancelled", at: START } }, "withdrawn"],
    ["that nobody was asked", { ended: { outcome: "refused", at: START } }, "did not ask"],
    ["of another attempt", { id: `q_${"b".repeat(32)}` }, "no such question"],
    ["whose time is over", { expiresAt: START }, "The time to answer is over."],
  ])("refuses the answer to a question %s", async (_, part, detail) => {
    await using t = await setupQuestion();
    await t.question(part);
    const answer = await t.answer("una", { action: "decline" });
    expect(problemOf(answer)).toEqual({ status: 409, code: "not_asked" });
    expect(answer.body["detail"]).toContain(detail);
    expect((await t.stored()).ok).toBe(false);
  });

  it("refuses an answer if the worker ends the question between the gateway's check and its commit", async () => {
    let before: (() => Promise<void>) | null = null;
    await using t = await setupQuestion({
      wrapStore: (state) => ({
        ...state,
        async commit(shard, change) {
          const end = change.op.startsWith("question-answer:") ? before : null;
          before = null;
          await end?.();
          return state.commit(shard, change);
        },
      }),
    });
    before = () => t.question({ ended: { outcome: "expired", at: START } });
    expect(problemOf(await t.answer("una", { action: "decline" }))).toEqual({ status: 409, code: "not_asked" });
    expect((await t.stored()).ok).toBe(false);
  });

  it("refuses an answer after the call or the run has ended", async () => {
    await using t = await setupQuestion();
    await t.agent.call(t.callId, { state: "resolved" });
    expect(problemOf(await t.answer("una", { action: "decline" })).code).toBe("not_asked");
    await using u = await setupQuestion();
    await u.agent.say(u.runId, completed);
    expect(problemOf(await u.answer("una", { action: "decline" })).code).toBe("run_ended");
  });

  it.each<[object, string]>([
    [{ action: "accept" }, "/content"],
    [{ action: "decline", content: { name: "Una" } }, "/content"],
    [{ action: "accept", content: {} }, "/content/name"],
    [{ action: "accept", content: { name: "una" } }, "/content/name"],
    [{ action: "accept", content: { name: "Una", more: 1 } }, "/content/more"],
  ])("refuses content that does not fit the form, and the question stays open: %o", async (part, path) => {
    await using t = await setupQuestion();
    const answer = await t.answer("una", part);
    expect(problemOf(answer)).toEqual({ status: 400, code: "invalid_request" });
    expect(answer.body["errors"]).toMatchObject([{ path }]);
    expect((await t.answer("una", { action: "accept", content: { name: "Una" } })).status).toBe(202);
  });

  it.each<{ who: Person; problem: { status: number; code: string } }>([
    { who: "otto", problem: { status: 403, code: "forbidden" } },
    { who: "ugo", problem: { status: 404, code: "not_found" } },
    { who: "olga", problem: { status: 404, code: "not_found" } },
    { who: "amy", problem: { status: 403, code: "forbidden" } },
  ])("is not for $who", async ({ who, problem }) => {
    await using t = await setupQuestion();
    expect(problemOf(await t.answer(who, { action: "decline" }))).toEqual(problem);
    expect((await t.stored()).ok).toBe(false);
  });
});

/** Starts a gateway with one run of una's, whose tool asks a question. */
async function setupQuestion(options: Options = {}) {
  const t = await setup(options);
  const runId = await t.accepted();
  await t.agent.take(runId);
  const callId = `${runId}.1.0`;
  await t.agent.call(callId, { state: "dispatched", toolset: "mcp", toolName: "forms__ask" });
  /** Stores the question as its worker does. */
  const question = async (part: Partial<ToolQuestion> = {}): Promise<void> => {
    const key = keys.questions("mcp", callId);
    const one: ToolQuestion = { id: ID, message: "Who?", form: FORM, askedAt: START, expiresAt: EXPIRES_AT, ...part };
    const value: CallQuestions = { callId, from: "mcp:forms", untrusted: true, questions: [one] };
    const { documents } = await t.store.read([key]);
    const version = documents[0]?.version ?? 0;
    await t.store.commit(shardOf(callId), {
      op: `q:${version}`,
      guards: [{ key, version }],
      put: [{ key, value: value as unknown as Json }],
    });
  };
  await question();
  return {
    ...t,
    runId,
    callId,
    question,
    answer: (who: Person, part: object, headers = {}) =>
      t.ask(who, `/v1/runs/${runId}/question-answers`, post({ callId, questionId: ID, ...part }, headers)),
    stored: async () => parseQuestionAnswer((await t.store.read([keys.questionAnswer("mcp", callId, ID)])).documents[0]?.value),
  };
}
