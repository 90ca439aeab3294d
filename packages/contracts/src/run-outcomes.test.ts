import { describe, expect, it } from "vitest";
import type { RunWrite } from "./documents/agent.ts";
import { outcomesOf } from "./run-outcomes.ts";
import { withWrite } from "./what-was-written.ts";

const write = (status: string, code?: string, tool = "issue_refund"): RunWrite => ({
  callId: "c",
  tool,
  status,
  ...(code === undefined ? {} : { code }),
});

function of(...ended: readonly RunWrite[]) {
  const writes = ended.reduce<ReturnType<typeof withWrite> | undefined>(withWrite, undefined);
  return outcomesOf({ status: "done", report: null, ...(writes ? { writes } : {}) });
}

describe("what became of the writes of a run", () => {
  it.each([
    ["denied", "denied_by_user", "denied"],
    ["denied", "policy_denied", "denied"],
    ["denied", "revision_requested", "denied"],
    ["denied", "approval_expired", "expired"],
    ["denied", "approval_lapsed", "expired"],
    ["outcome_unknown", "outcome_unknown", "unknown"],
    ["not_executed", "not_executed", "failed"],
    ["error", "card_declined", "failed"],
  ])("is told of one that ended as %s (%s): %s", (status, code, outcome) => {
    expect(of(write("ok"), write(status, code, "other"))).toEqual([outcome]);
  });

  it("is nothing where each happened, was taken back or never began for another's sake", () => {
    expect([of(), of(write("ok")), of(write("cancelled", "cancelled"), write("not_executed", "skipped"))]).toEqual([[], [], []]);
  });

  it("leaves out what was corrected by another call of the tool, and never a refusal", () => {
    expect(of(write("validation_error", "invalid_arguments"), write("denied", "revision_requested"), write("ok"))).toEqual([]);
    expect(of(write("denied", "denied_by_user"), write("ok"))).toEqual(["denied"]);
  });

  it("tells of every kind, and of an unknown outcome that is listed no more", () => {
    expect(of(write("denied", "approval_expired"), write("denied", "denied_by_user"))).toEqual(["denied", "expired"]);
    const many = Array.from({ length: 30 }, () => write("ok"));
    expect(of(write("outcome_unknown"), ...many)).toEqual(["unknown"]);
  });

  it("counts what became of the report, and a run that failed", () => {
    const filing = (status: "filed" | "outcome_unknown" | "not_attempted") => ({
      subject: "v2",
      cause: null,
      severity: null,
      findings: [],
      evidence: [],
      filing: { status },
    });
    const reported = (["filed", "outcome_unknown", "not_attempted"] as const).map((status) =>
      outcomesOf({ status: "done", report: filing(status) }),
    );
    expect(reported).toEqual([["filed"], ["unknown"], []]);
    expect(outcomesOf({ status: "failed", report: null })).toEqual(["failed"]);
  });
});
