import { type Approval, type Call, callParts } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { BatchFact } from "../ports/observation.ts";
import { LARGE } from "../world/sim-tools.ts";
import { approval, CALL, call, RUN, telling, timers } from "./wrong-histories.ts";

const { round } = callParts(CALL);
const OTHER = `${RUN}.${round}.1`;
const first = approval({ toolName: "low_none" }).approvalId;
const second = `ap_${OTHER}`;

/** Returns a history with two writes that wait, and a function that adds the answers to a batch about them. */
function held({ tool = "low_none", n = 1 }: { readonly tool?: string; readonly n?: number } = {}) {
  const t = telling();
  const text = JSON.stringify({ n, to: "nobody" });
  for (const [id, approvalId] of [
    [CALL, first],
    [OTHER, second],
  ] as const) {
    const about = { callId: id, toolName: tool, arguments: text };
    t.commit({ put: [t.puts.call(call(about as Partial<Call>))] });
    const pending = approval({ ...about, approvalId, status: "pending", decisions: [] } as Partial<Approval>);
    t.commit({ put: [t.puts.approval(pending)], timers: [{ ...timers.approval, id: `apr:${approvalId}` }] });
  }
  return (part: Partial<BatchFact> = {}) =>
    t.tell({
      kind: "batch",
      at: 1,
      name: "amy 1",
      who: "amy",
      items: [first, second].map((approvalId) => ({ approvalId, decision: "approve", token: "t" })),
      answers: [accepted(first), accepted(second)],
      ...part,
    });
}

function accepted(approval: string, approver = "amy", decision = "approve") {
  return { approval, status: 200, decided: { id: approval, decisions: [{ approver, decision }] } };
}

describe("a batch of decisions", () => {
  it("may be accepted, refused in part, and repeated", () => {
    const batch = held();
    expect(batch({ answers: [accepted(first), { approval: second, status: 403 }] })).toEqual([]);
    expect(batch({ answers: [accepted(first), { approval: second, status: 403 }] })).toEqual([]);
    expect(batch({ answers: [{ approval: first, status: 429 }, accepted(second)] })).toEqual([]);
    expect(batch({ name: "amy 2", answers: [{ approval: first, status: 409 }, accepted(second)] })).toEqual([]);
  });

  it("has one answer for each decision, in their order", () => {
    for (const answers of [[accepted(first)], [accepted(second), accepted(first)]])
      expect(held()({ answers }).join()).toContain("the answers are not one for each, in this order");
  });

  it("is not answered with a decision of somebody else, of another write or of another word", () => {
    for (const wrong of [
      accepted(second, "ben"),
      { ...accepted(second), decided: accepted(first).decided },
      accepted(second, "amy", "deny"),
    ])
      expect(held()({ answers: [accepted(first), wrong] })).toEqual([
        `G6: ${second} was answered as decided, but without the decision of amy`,
      ]);
  });

  it.each([
    ["high", { tool: "high_none" }],
    ["critical", { tool: "critical_key" }],
    ["large", { tool: "medium_none", n: LARGE }],
  ])("decides no %s write, unless it is alone", (_, tool) => {
    const items = [{ approvalId: first, decision: "approve", token: "t" }];
    expect(held(tool)({ items, answers: [accepted(first)] })).toEqual([]);
    expect(held(tool)({ answers: [accepted(first), { approval: second, status: 403 }] })).toEqual([
      `G6: amy decided ${first}, a write of a high tier, together with other writes`,
    ]);
  });

  it("is accepted again if it is sent again", () => {
    const batch = held();
    batch();
    expect(batch({ answers: [accepted(first), { approval: second, status: 422 }] })).toEqual([
      `G6: amy sent a batch again, and its decision about ${second} is now refused`,
    ]);
  });
});
