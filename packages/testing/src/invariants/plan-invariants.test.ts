import { type Approval, approvalIdOf, type Plan } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { planned } from "../world/sim-tools.ts";
import { approval, CALL, call, decision, gone, row, telling, timers, type WrongHistory } from "./wrong-histories.ts";

const AT = approval().decisions[0]?.at ?? 0;
const TOOL = planned("high_none");
const FIRST: Plan = { before: { state: 0 }, after: { n: 1 } };
const SECOND: Plan = { before: { state: 1 }, after: { n: 1 } };
const planTimer = { service: "approvals", id: `plan:${approvalIdOf(CALL)}`, dueIn: 1 } as const;
const aPlan = (content: Plan, hash: string, drift = false) => ({ hash, at: AT, content, ...(drift ? { drift: true as const } : {}) });
const ofPlan = (round: number, hash: string) => ({ ...decision("amy"), plan: { round, hash } });

function of(part: Partial<Approval>): Approval {
  return approval({ toolName: TOOL, ...part });
}

/** Tells what the target said that the write would change. */
function says(t: WrongHistory, plan: Plan, at = AT): void {
  t.tell({ kind: "planned", at, callId: CALL, plan });
}

/** Returns the history of a write that waits with the plan FIRST on its card. */
function shown(): WrongHistory {
  const t = telling();
  t.commit({ put: [t.puts.call(call({ toolName: TOOL }))] });
  says(t, FIRST, AT - 1);
  const pending = of({ status: "pending", decisions: [], plans: [aPlan(FIRST, "first")] });
  expect(t.commit({ put: [t.puts.approval(pending)], timers: [timers.approval] })).toEqual([]);
  return t;
}

/** Returns the same history after amy has approved FIRST. */
function approved(): WrongHistory {
  const t = shown();
  const value = of({ decisions: [ofPlan(1, "first")], plans: [aPlan(FIRST, "first")] });
  expect(t.commit({ put: [t.puts.approval(value)], timers: [gone(timers.approval)] })).toEqual([]);
  return t;
}

const reopened = of({ status: "pending", decisions: [ofPlan(1, "first")], plans: [aPlan(FIRST, "first"), aPlan(SECOND, "second", true)] });

function sends(t: WrongHistory): readonly string[] {
  t.commit({ put: [t.puts.row(row({ toolName: TOOL }))] });
  t.commit({ put: [t.puts.row(row({ toolName: TOOL, state: "sending", prepared: { n: 1, to: "nobody" } }))] });
  return t.tell({ kind: "effect", at: AT + 1, callId: CALL, tool: TOOL, arguments: { n: 1, to: "nobody" } });
}

describe("the checker of plans", () => {
  it("finds nothing wrong with a write whose target was asked again after the approval, and was the same", () => {
    const t = approved();
    says(t, FIRST);
    expect(sends(t).filter((what) => !what.includes("no grant covers"))).toEqual([]);
  });

  it("finds nothing wrong with an approval that goes back to people, because its worker recorded another target", () => {
    const t = approved();
    says(t, SECOND);
    t.commit({ put: [t.puts.row(row({ toolName: TOOL, lease: null, planRound: 2 }))] });
    expect(t.commit({ put: [t.puts.approval(reopened)], timers: [timers.approval] })).toEqual([]);
  });

  describe("notices", () => {
    it("a write that is sent although nobody asked the target again after the approval", () => {
      expect(sends(approved()).join()).toContain("nobody checked after its approval");
    });

    it("a write that is sent although the target has changed after the approval", () => {
      const t = approved();
      says(t, SECOND);
      expect(sends(t).join()).toContain("nobody checked after its approval");
    });

    it("a card with a plan that the target never gave", () => {
      const t = shown();
      const value = of({ status: "pending", decisions: [], plans: [aPlan(FIRST, "first"), aPlan(SECOND, "second")] });
      expect(t.commit({ put: [t.puts.approval(value)] }).join()).toContain("a plan that the target never gave");
    });

    it("an approval that counts people who approved another plan, or none", () => {
      for (const made of [decision("amy"), ofPlan(2, "second"), ofPlan(1, "other")]) {
        const t = shown();
        const value = of({ decisions: [made], plans: [aPlan(FIRST, "first")] });
        expect(t.commit({ put: [t.puts.approval(value)], timers: [gone(timers.approval)] }).join()).toContain("is approved by 0 people");
      }
    });

    it("an approval that goes back to people although the ledger says nothing of a changed target", () => {
      const t = approved();
      says(t, SECOND);
      t.commit({ put: [t.puts.row(row({ toolName: TOOL, lease: null }))] });
      expect(t.commit({ put: [t.puts.approval(reopened)], timers: [timers.approval] }).join()).toContain("its ledger does not say");
    });

    it("an earlier plan that changes", () => {
      const t = shown();
      says(t, SECOND);
      const value = of({ status: "pending", decisions: [], plans: [aPlan(SECOND, "second")] });
      expect(t.commit({ put: [t.puts.approval(value)] }).join()).toContain("the earlier plans");
    });

    it("an approval that waits for a plan without a timer", () => {
      const waiting = of({ status: "pending", decisions: [], planning: { asked: 1 } });
      const t = telling();
      expect(t.commit({ put: [t.puts.approval(waiting)], timers: [timers.approval] }).join()).toContain("has no timer for it");
      const timed = telling();
      expect(timed.commit({ put: [timed.puts.approval(waiting)], timers: [timers.approval, planTimer] })).toEqual([]);
    });
  });
});
