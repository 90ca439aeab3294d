import { type CallQuestions, type Json, keys, parseCallQuestions, type QuestionAnswer, shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it, vi } from "vitest";
import { bench } from "../testing/bench.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolset } from "../tool/toolset.ts";
import type { Question, Reply } from "./question.ts";

const FORM = { type: "object", properties: { name: { type: "string" } } };
const QUESTION = { message: "Who is it?", form: FORM };

/** Makes a worker whose read asks these questions, and returns the replies as its result. */
function setup(questions: readonly Question[] = [QUESTION]) {
  const replies: Reply[] = [];
  const tool = defineTool({
    name: "look_up",
    kind: "read",
    description: "Looks up.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    timeoutMs: 60_000,
    trust: "untrusted",
    async run(_, { ask }) {
      for (const question of questions) replies.push(await ask(question));
      return "done";
    },
  });
  const made = bench(toolset({ name: "orders", tools: [tool] }));
  const stored = async (): Promise<CallQuestions | null> => {
    const { documents } = await made.state.read([keys.questions("orders", made.callId())]);
    const parsed = parseCallQuestions(documents[0]?.value);
    return parsed.ok ? parsed.value : null;
  };
  /** Resolves with the first question that people can answer. */
  const asked = () =>
    vi.waitFor(async () => {
      const open = (await stored())?.questions.find(({ ended }) => !ended);
      if (!open) throw new Error("Nothing is asked.");
      return open;
    });
  const answer = async (id: string, part: Pick<QuestionAnswer, "action" | "content">): Promise<string> =>
    answerIn(made.state, made.callId(), id, part);
  return { ...made, replies, stored, asked, answer, invoke: () => made.invoke("look_up", {}) };
}

/** Stores an answer as the gateway does. Returns whether the store accepted it. */
async function answerIn(state: StateStore, callId: string, questionId: string, part: Pick<QuestionAnswer, "action" | "content">) {
  const key = keys.questionAnswer("orders", callId, questionId);
  const { now, documents } = await state.read([keys.questions("orders", callId)]);
  const value: QuestionAnswer = { callId, questionId, ...part, by: "una", at: now };
  const { outcome } = await state.commit(shardOf(callId), {
    op: `answer:${questionId}`,
    guards: [
      { key, version: 0 },
      { key: keys.questions("orders", callId), version: documents[0]?.version ?? 0 },
    ],
    put: [{ key, value: value as unknown as Json }],
  });
  return outcome;
}

describe("a tool that asks the requester of its run", () => {
  it("gets the answer that the gateway accepted, and the store has the question with its deadline until then", async () => {
    const t = setup();
    const worker = t.process();
    const done = worker.deliver(await t.invoke());
    const question = await t.asked();
    expect(await t.stored()).toMatchObject({ callId: t.callId(), from: "orders", untrusted: true });
    expect(question).toMatchObject({ message: "Who is it?", form: FORM, expiresAt: t.clock.now + 58_000 });
    expect(await t.answer(question.id, { action: "accept", content: { name: "Una" } })).toBe("ok");
    expect(await done).toEqual({ kind: "ack" });
    expect(t.replies).toEqual([{ action: "accept", content: { name: "Una" } }]);
    expect(worker.read()[0]?.result.metadata).toMatchObject({ questions: 1 });
    const [ended] = (await t.stored())?.questions ?? [];
    expect(ended).toMatchObject({ id: question.id, ended: { outcome: "accepted" } });
    expect(ended?.form).toBe(undefined);
    const hints = worker.announced.map(({ body }) => JSON.parse(body) as { readonly questions?: boolean });
    expect(hints.filter(({ questions }) => questions === true)).toHaveLength(2);
  });

  it("gets a refusal if the person declines, and another question gets another answer", async () => {
    const t = setup([QUESTION, { ...QUESTION, message: "And now?" }]);
    const done = t.process().deliver(await t.invoke());
    const first = await t.asked();
    await t.answer(first.id, { action: "decline" });
    const second = await vi.waitFor(async () => {
      const open = await t.asked();
      if (open.id === first.id) throw new Error("The first one is still open.");
      return open;
    });
    await t.answer(second.id, { action: "accept", content: {} });
    await done;
    expect(t.replies.map(({ action }) => action)).toEqual(["decline", "accept"]);
  });

  it("gets a cancel when the time is over, and no later answer is accepted", async () => {
    const t = setup();
    const done = t.process().deliver(await t.invoke());
    const { id } = await t.asked();
    const before = await t.state.read([keys.questions("orders", t.callId())]);
    t.clock.now += 58_000;
    await done;
    expect(t.replies).toEqual([{ action: "cancel", reason: "Nobody answered in time." }]);
    expect((await t.stored())?.questions).toMatchObject([{ id, ended: { outcome: "expired" } }]);
    // An answer that was decided before the end has the earlier version as its guard.
    const { outcome } = await t.state.commit(shardOf(t.callId()), {
      op: "late",
      guards: [
        { key: keys.questionAnswer("orders", t.callId(), id), version: 0 },
        { key: keys.questions("orders", t.callId()), version: before.documents[0]?.version ?? 0 },
      ],
      put: [{ key: keys.questionAnswer("orders", t.callId(), id), value: {} }],
    });
    expect(outcome).toBe("stale");
  });

  it("asks under another id in its next attempt, and the question of an attempt that died is over", async () => {
    const t = setup();
    const invoke = await t.invoke();
    const first = t.process();
    void first.deliver(invoke);
    const before = await t.asked();
    first.kill();
    const done = t.process().deliver(invoke, 2);
    const after = await vi.waitFor(async () => {
      const open = await t.asked();
      if (open.id === before.id) throw new Error("The question of the first attempt is still open.");
      return open;
    });
    await t.answer(after.id, { action: "accept", content: { name: "Ugo" } });
    await done;
    expect(t.replies.at(-1)).toEqual({ action: "accept", content: { name: "Ugo" } });
    expect((await t.stored())?.questions.map(({ id, ended }) => [id, ended?.outcome])).toEqual([
      [before.id, "interrupted"],
      [after.id, "accepted"],
    ]);
  });

  it.each<readonly [string, Question]>([
    ["a password", { message: "Type your password.", form: FORM }],
    ["a token in a field", { message: "Go on?", form: { type: "object", properties: { apiToken: { type: "string" } } } }],
    ["the number of a card", { message: "Pay", form: { type: "object", properties: { a: { type: "string", title: "Card number" } } } }],
    ["an API key with odd spaces", { message: "Your api\u200b_\u00a0key?", form: FORM }],
    ["a hidden text", { message: "Go on?", form: { type: "object", properties: { a: { type: "string", format: "password" } } } }],
    ["nothing that people can be shown", { message: "Go on?", form: { type: "array" } }],
    ["more than a person reads", { message: "x".repeat(1001), form: FORM }],
  ])("is declined if it asks for %s, and the store says why", async (_, question) => {
    const t = setup([question]);
    await t.process().deliver(await t.invoke());
    expect(t.replies).toMatchObject([{ action: "decline", reason: expect.stringMatching(/^Toolbus declined, because /) }]);
    expect((await t.stored())?.questions).toMatchObject([
      { ended: { outcome: "refused", reason: expect.stringMatching(/^Toolbus declined/) } },
    ]);
  });

  it("asks at most five questions in a call, and does not read the store for the others", async () => {
    const t = setup(Array.from({ length: 1000 }, () => ({ message: "Your password?", form: FORM })));
    const reads = vi.spyOn(t.state, "read");
    await t.process().deliver(await t.invoke());
    const asked = reads.mock.calls.filter(([names]) => names.includes(keys.questions("orders", t.callId())));
    expect(asked.length).toBe(5);
    expect(t.replies).toHaveLength(1000);
    expect(t.replies.at(-1)).toEqual({ action: "decline", reason: "The call has already asked its most questions." });
    expect((await t.stored())?.questions).toHaveLength(5);
  });

  it("withdraws its question when nobody waits for the call any more", async () => {
    const t = setup();
    const stopped = new AbortController();
    const done = t.process().deliver(await t.invoke(), 1, stopped.signal);
    await t.asked();
    stopped.abort();
    await done;
    await vi.waitFor(async () => expect((await t.stored())?.questions).toMatchObject([{ ended: { outcome: "cancelled" } }]));
  });
});
