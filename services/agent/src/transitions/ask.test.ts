import { describe, expect, it } from "vitest";
import { type AnswerEntry, answerCall } from "./answer.ts";
import { cancelRun } from "./cancel.ts";
import { callDecided } from "./decided.ts";
import { redispatch } from "./redispatch.ts";
import { asks, type Bundle, bundle, RUN } from "../testing/test-bundle.ts";
import { checkWaiting } from "./waiting.ts";

const DAY = 86_400_000;
const question = (text: string, id = "q", options?: readonly string[]) =>
  asks("ask_user", id, { question: text, ...(options ? { options } : {}) });

async function asking(...calls: readonly ReturnType<typeof asks>[]): Promise<Bundle> {
  const b = bundle({ profile: { askUser: true } });
  await b.start();
  await b.turn(calls.length > 0 ? calls : [question("Which one?", "q", ["a", "b"])]);
  return b;
}

const entry = (index: number, text: string): AnswerEntry => {
  const callId = `${RUN}.1.${index}`;
  return { kind: "answer", entryId: `${callId}!answer`, runId: RUN, callId, agent: "default", by: "user:ada", text, acceptedAt: 1 };
};

async function answer(b: Bundle, index: number, text: string): Promise<string> {
  const answered = answerCall(await b.snapshot(), entry(index, text), b.rules);
  return answered.kind === "join" ? b.commit(answered.change) : answered.kind;
}

describe("a question to the person", () => {
  it("is reported, has a timer, and goes to no worker", async () => {
    const b = await asking();
    const { now } = await b.snapshot();
    expect(await b.call(0)).toMatchObject({ state: "asked", dispatch: 0, askExpiresAt: now + DAY });
    expect((await b.events()).at(-1)).toEqual({
      type: "call.asked",
      at: now,
      callId: `${RUN}.1.0`,
      question: "Which one?",
      options: ["a", "b"],
      expiresAt: now + DAY,
    });
    expect((await b.snapshot()).run.value).toMatchObject({ status: "waiting", lease: null, pending: 1 });
    expect((await b.sent()).map((message) => message.topic)).toEqual(["run.wake"]);
    expect(await b.timers()).toEqual([`call:${RUN}.1.0`, `run:${RUN}`]);
  });

  it("gets the person's words as data, once", async () => {
    const b = await asking();
    expect(await answer(b, 0, 'The "second", please.')).toBe("ok");
    expect(await answer(b, 0, "No, the first!")).toBe("duplicate");
    expect((await b.call(0)).result).toEqual({ status: "ok", content: '{"answer":"The \\"second\\", please."}', isError: false });
    expect((await b.transcript()).filter((said) => said.type === "result")).toHaveLength(1);
    expect((await b.snapshot()).run.value).toMatchObject({ status: "ready", pending: 0 });
  });

  it("may be one of several, and the run continues when each has its answer", async () => {
    const b = await asking(question("First?", "a"), question("Second?", "b"));
    expect(await answer(b, 1, "two")).toBe("ok");
    expect((await b.snapshot()).run.value.status).toBe("waiting");
    expect(await answer(b, 0, "one")).toBe("ok");
    expect((await b.transcript()).flatMap((said) => (said.type === "result" ? [said.content] : []))).toEqual([
      '{"answer":"one"}',
      '{"answer":"two"}',
    ]);
  });

  it("ends as unanswered after a day, and not when its timer is early", async () => {
    const b = await asking();
    b.advance(DAY / 2);
    await b.commit(redispatch(await b.snapshot(), `${RUN}.1.0`, null, b.rules));
    expect((await b.call(0)).state).toBe("asked");
    b.advance(DAY / 2);
    await b.commit(redispatch(await b.snapshot(), `${RUN}.1.0`, null, b.rules));
    expect((await b.call(0)).result).toMatchObject({
      status: "timeout",
      error: { code: "no_answer", message: expect.stringContaining("within 24 h") },
    });
    expect(await answer(b, 0, "Sorry, I was away.")).toBe("duplicate");
    expect((await b.snapshot()).run.value.status).toBe("ready");
  });

  it("ends with its run when that is cancelled", async () => {
    const b = await asking();
    await b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "ada" }, b.rules));
    expect((await b.call(0)).result?.status).toBe("cancelled");
    expect(await answer(b, 0, "Too late?")).toBe("duplicate");
  });

  it("stops the run's clock", async () => {
    const b = await asking();
    b.advance(DAY / 2);
    await answer(b, 0, "yes");
    expect((await b.snapshot()).run.value.activeMs).toBeLessThan(1000);
  });

  it("keeps waiting although the run's active time was used up before it was asked", async () => {
    const b = bundle({ profile: { askUser: true } });
    await b.start();
    await b.turn([asks("look", "slow")]);
    b.advance(40_000);
    await b.answer(0);
    await b.turn([question("Which one?"), asks("look", "r")]);
    await b.commit(checkWaiting(await b.snapshot(), b.rules));
    expect((await b.call(0)).state).toBe("asked");
    expect((await b.call(1)).result?.status).toBe("timeout");
  });

  it("holds back the writes of its turn until it is answered", async () => {
    const b = await asking(question("Sure?"), asks("change", "w"));
    const decided = {
      toolCallId: `${RUN}.1.1`,
      approvalId: `ap_${RUN}.1.1`,
      outcome: "approved",
      grantExpiresAt: 2e12,
      executeBy: 2e12,
    } as const;
    await b.commit(callDecided(await b.snapshot(), decided, "a.b.c", b.rules));
    expect((await b.call(1)).state).toBe("granted");
    await answer(b, 0, "yes");
    expect((await b.call(1)).state).toBe("dispatched");
  });

  it("accepts no answer for a call that does not ask", async () => {
    const b = await asking(question("Sure?"), asks("look", "r"));
    expect(await answer(b, 1, "I looked for you.")).toBe("not_asked");
    expect(await answer(b, 7, "Hello?")).toBe("not_asked");
    expect((await b.call(1)).state).toBe("dispatched");
  });

  it("fits into its documents however long the answer is", async () => {
    const b = await asking();
    expect(await answer(b, 0, '"\n'.repeat(16_000))).toBe("ok");
    expect((await b.call(0)).result?.content).toContain("characters left out");
  });

  it("cannot be asked if the profile does not allow it, nor with arguments that its schema refuses", async () => {
    const b = bundle();
    await b.start();
    await b.turn([question("Which one?")]);
    expect((await b.call(0)).result).toMatchObject({ error: { code: "tool_not_found" } });
    const other = await asking(asks("ask_user", "q", { ask: "Which one?" }));
    expect((await other.call(0)).result).toMatchObject({ error: { code: "invalid_arguments" } });
  });
});

describe("a conclusion", () => {
  const said = { cause: "v2 broke it.", severity: "high", findings: ["4 % errors"], summary: "v2 did it." };

  it("is accepted at once if the profile reports by it, and only then", async () => {
    const b = bundle({ profile: { report: { kind: "conclusion", subjectFromInput: "alert.labels.alertname" } } });
    await b.start();
    await b.turn([asks("conclude", "c", said)]);
    expect((await b.call(0)).result).toEqual({ status: "ok", content: '{"recorded":true}', isError: false });
    expect((await b.snapshot()).run.value.status).toBe("ready");
    const other = bundle();
    await other.start();
    await other.turn([asks("conclude", "c", said)]);
    expect((await other.call(0)).result?.status).toBe("unknown_tool");
  });
});
