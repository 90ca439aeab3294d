import type { CallQuestions, ToolQuestion } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { asks, bundle, ok } from "../testing/test-bundle.ts";
import { joinResult } from "./join.ts";
import { questionsNoted } from "./note-questions.ts";
import { redispatch } from "./redispatch.ts";

const ID = `q_${"a".repeat(32)}`;
const OTHER = `q_${"b".repeat(32)}`;

async function setup() {
  const b = bundle();
  await b.start();
  await b.turn([asks("look", "r")]);
  const { callId } = await b.call(0);
  const stored = (...questions: Partial<ToolQuestion>[]): CallQuestions => ({
    callId,
    from: "mcp:forms",
    untrusted: true,
    questions: questions.map((part) => ({ id: ID, message: "Who?", askedAt: 1, expiresAt: 2, ...part })),
  });
  const seen = async (questions: CallQuestions) => ({ ...(await b.snapshot()), questions });
  const events = async () => (await b.events()).filter(({ type }) => /^question|^call.resolved/.test(type));
  const note = async (questions: CallQuestions) => questionsNoted(await seen(questions), await b.call(0), b.rules);
  return { b, callId, stored, seen, events, note };
}

describe("the questions of a tool", () => {
  it("are events of the run, once each, without what the person answered", async () => {
    const { b, stored, note, events } = await setup();
    await b.commit(await note(stored({})));
    expect(await note(stored({}))).toBe(null);
    await b.commit(await note(stored({ ended: { outcome: "accepted", at: 1 } })));
    expect(await events()).toMatchObject([
      { type: "question.asked", questionId: ID, from: "mcp:forms", untrusted: true, message: "Who?" },
      { type: "question.ended", questionId: ID, outcome: "accepted" },
    ]);
  });

  it("of an earlier attempt end, and that of the next one is another", async () => {
    const { b, stored, note, events } = await setup();
    await b.commit(await note(stored({})));
    await b.commit(await note(stored({ ended: { outcome: "interrupted", at: 1 } }, { id: OTHER })));
    expect(await events()).toMatchObject([{ questionId: ID }, { questionId: ID, outcome: "interrupted" }, { questionId: OTHER }]);
  });

  it("are found by the timer of the call, and when its result arrives, if every hint was lost", async () => {
    const { b, callId, stored, seen, events } = await setup();
    await b.commit(redispatch(await seen(stored({})), callId, null, b.rules));
    expect(await events()).toMatchObject([{ type: "question.asked" }]);
    const all = stored({ ended: { outcome: "declined", at: 1 } }, { id: OTHER, ended: { outcome: "refused", at: 1, reason: "A secret." } });
    const joined = joinResult(await seen(all), { callId, secretHash: null, result: ok() }, b.rules);
    if (joined.kind !== "join") throw new Error(joined.kind);
    await b.commit(joined.change);
    expect(await events()).toMatchObject([
      { type: "question.asked", questionId: ID },
      { type: "question.ended", questionId: ID, outcome: "declined" },
      { type: "question.asked", questionId: OTHER },
      { type: "question.ended", questionId: OTHER, outcome: "refused", reason: "A secret." },
      { type: "call.resolved" },
    ]);
  });

  it("end with their call, whatever ends it", async () => {
    const { b, stored, note, events } = await setup();
    await b.commit(await note(stored({})));
    await b.answer(0, ok());
    expect(await events()).toMatchObject([
      { type: "question.asked" },
      { type: "question.ended", outcome: "cancelled" },
      { type: "call.resolved" },
    ]);
  });
});
