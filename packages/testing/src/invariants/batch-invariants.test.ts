import { type Approval, approvalIdOf, type BatchDecisionAnswer, callIdOf } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import type { BatchItem, Observation } from "../ports/observation.ts";
import { approval, call, gone, RUN, telling, timers, type WrongHistory } from "./wrong-histories.ts";

type Batch = Extract<Observation, { kind: "batch" }>;

const AT = approval().decisions[0]?.at ?? 0;
const MEDIUM = "medium_key";
const [FIRST, SECOND, HIGH, THIRD] = [callIdOf(RUN, 1, 0), callIdOf(RUN, 1, 1), callIdOf(RUN, 1, 2), callIdOf(RUN, 1, 3)];

function item(callId: string, part: Partial<BatchItem> = {}): BatchItem {
  const id = approvalIdOf(callId);
  return {
    approval: id,
    decision: "approve",
    token: `token of ${id}`,
    argumentsHash: approval().argsHash,
    tier: callId === HIGH ? "high" : "medium",
    isOwn: true,
    ...part,
  };
}

function of(callId: string, part: Partial<Approval> = {}): Approval {
  const toolName = callId === HIGH ? "high_none" : MEDIUM;
  return approval({ approvalId: approvalIdOf(callId), callId, toolName, expiresAt: AT + 10_000, ...part });
}

function timer(callId: string): typeof timers.approval {
  return { ...timers.approval, id: `apr:${approvalIdOf(callId)}` } as typeof timers.approval;
}

/** Returns the history of four writes that wait. */
function waiting(): WrongHistory {
  const t = telling();
  for (const callId of [FIRST, SECOND, HIGH, THIRD]) {
    const toolName = of(callId).toolName;
    t.commit({ put: [t.puts.call(call({ callId, toolName }))] });
    const value = of(callId, { status: "pending", decisions: [] });
    expect(t.commit({ put: [t.puts.approval(value)], timers: [timer(callId)] })).toEqual([]);
  }
  return t;
}

function sends(t: WrongHistory, ...items: readonly BatchItem[]): void {
  for (const { approval: approvalId, token } of items) t.tell({ kind: "sends", at: AT, approvalId, token, among: items.length });
}

/** Adds a decision of amy, about the arguments of this hash if it is given, and returns what the checker reported. */
function decides(t: WrongHistory, { approval: id, token }: BatchItem, argsHash?: string): readonly string[] {
  const callId = id.slice("ap_".length);
  const about = argsHash === undefined ? {} : { argsHash };
  const made = { approver: "amy", decision: "approve" as const, at: AT, via: "http", tokenHash: secretHash(token), ...about };
  return t.commit({ put: [t.puts.approval(of(callId, { decisions: [made] }))], timers: [gone(timer(callId))] });
}

function yes({ approval: id }: BatchItem, status = "approved"): BatchDecisionAnswer {
  return { approval: id, status: 200, decided: { id, status, decisions: [] } } as unknown as BatchDecisionAnswer;
}

function no({ approval: id }: BatchItem, status = 403, code = "forbidden"): BatchDecisionAnswer {
  return { approval: id, status, problem: { type: "", title: "", status, code, detail: "" } };
}

function answers(t: WrongHistory, items: readonly BatchItem[], given: readonly BatchDecisionAnswer[]): readonly string[] {
  const batch: Batch = { kind: "batch", at: AT, sentAt: AT, tries: 1, who: "amy", key: "one", items, answers: given };
  return t.tell(batch);
}

describe("the checker of batches", () => {
  const both = [item(FIRST), item(SECOND)] as const;
  const [one, two] = both;
  const high = item(HIGH);

  it("finds nothing wrong with accepted decisions, a high write that is refused beside them, and a repeat", () => {
    const t = waiting();
    sends(t, one, high, two);
    expect([...decides(t, one), ...decides(t, two)]).toEqual([]);
    for (let time = 0; time < 2; time++) expect(answers(t, [one, high, two], [yes(one), no(high), yes(two)])).toEqual([]);
  });

  it("finds nothing wrong with a high write that is decided alone, after a batch has refused it", () => {
    const t = waiting();
    sends(t, one, high);
    sends(t, high);
    expect(decides(t, high)).toEqual([]);
    expect(answers(t, [high], [yes(high)])).toEqual([]);
  });

  it.each([
    ["an approval that somebody else has decided", item(FIRST, { token: "another" }), no(item(FIRST), 409, "already_decided")],
    ["a token of somebody else", item(SECOND, { isOwn: false }), no(item(SECOND))],
    ["a token that this person used to approve other arguments", item(THIRD), no(item(THIRD), 409, "token_used")],
    ["too many decisions a minute", item(SECOND), no(item(SECOND), 429, "rate_limited")],
  ])("finds nothing wrong with a refusal because of %s", (_, refused, answer) => {
    const t = waiting();
    decides(t, one);
    decides(t, item(THIRD), "hash of edited arguments");
    expect(answers(t, [refused, high], [answer, no(high)])).toEqual([]);
  });

  describe("notices", () => {
    it("a high write that was sent only together with others, and was decided", () => {
      const t = waiting();
      sends(t, one, high);
      expect(decides(t, high).join()).toContain("was decided together with others");
    });

    it("a high write that was accepted together with others", () => {
      const t = waiting();
      sends(t, high);
      decides(t, high);
      decides(t, one);
      expect(answers(t, [one, high], [yes(one), yes(high)]).join()).toContain("was accepted in a batch of 2");
    });

    it("too few answers, and answers in another order", () => {
      const t = waiting();
      for (const each of both) decides(t, each);
      expect(answers(t, both, [yes(one)]).join()).toContain("a batch of 2 decisions got 1 answers");
      expect(answers(t, both, [yes(two), yes(one)]).join()).toContain("the answer 0 of a batch is about");
    });

    it("a decision that is refused because another one was refused", () => {
      expect(answers(waiting(), [high, one], [no(high), no(one)])).toEqual([
        expect.stringMatching(/was refused in a batch with "forbidden", and nothing about it explains this$/),
      ]);
    });

    it("a recorded decision that is refused, although its first answer was lost", () => {
      const t = waiting();
      decides(t, one);
      expect(answers(t, [one, high], [no(one, 409, "already_decided"), no(high)]).join()).toContain("nothing about it explains this");
    });

    it("a key that is refused although the batch has only one decision about the approval", () => {
      expect(answers(waiting(), both, [no(one, 422), no(two, 422)])).toHaveLength(2);
      const denied = { ...one, decision: "deny" };
      const t = waiting();
      decides(t, one);
      expect(answers(t, [one, denied], [yes(one), no(denied, 422)])).toEqual([]);
    });

    it("an accepted decision that nobody recorded", () => {
      expect(answers(waiting(), [one], [yes(one)]).join()).toContain("and the approval does not");
    });

    it("a repeat that is refused, or is answered differently", () => {
      const t = waiting();
      decides(t, one);
      expect(answers(t, [one], [yes(one)])).toEqual([]);
      expect(answers(t, [one], [no(one, 409)]).join()).toContain("its repeat in the same batch was refused");
      expect(answers(t, [one], [yes(one, "rejected")]).join()).toContain("was answered differently");
    });
  });
});
