import type { RunView } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { standingOf } from "./run-standing.ts";

const ended: RunView = {
  runId: "rn_1",
  conversationId: "cv_1",
  requester: "user:ada",
  createdAt: 1,
  links: { self: "", events: "", cancel: "", answers: "" },
  status: "done",
  endedAt: 2,
};
const report = { subject: "v2", cause: null, severity: null, findings: [], evidence: [] };

describe("how a run stands in a list", () => {
  it("tells those apart that are done and whose writes were denied, expired, failed or are unknown", () => {
    const reported = (["denied", "expired", "failed", "unknown"] as const).map((outcome) => standingOf({ ...ended, outcomes: [outcome] }));
    expect(reported).toEqual(["done: write denied", "done: write expired", "done: write failed", "done: outcome unknown"]);
    expect(standingOf({ ...ended, outcomes: ["denied", "unknown"] })).toBe("done: write denied, outcome unknown");
    expect([standingOf(ended), standingOf({ ...ended, writes: { happened: 1, unknown: 0, latest: [] } })]).toEqual(["done", "done"]);
  });

  it("says of an investigation what became of its report, once", () => {
    const filing = (status: "filed" | "outcome_unknown" | "not_attempted", part: Partial<RunView> = {}) =>
      standingOf({ ...ended, report: { ...report, filing: { status } }, ...part });
    expect(filing("filed", { outcomes: ["filed"] })).toBe("done: filed");
    expect(filing("outcome_unknown", { outcomes: ["unknown"] })).toBe("done: outcome unknown");
    expect(filing("filed", { outcomes: ["filed", "denied"] })).toBe("done: filed, write denied");
    expect(filing("not_attempted")).toBe("done");
  });

  it("says of one that failed why, and what it had written by then", () => {
    const failed: RunView = { ...ended, status: "failed", code: "time_limit", outcomes: ["failed"] };
    expect(standingOf(failed)).toBe("failed: time_limit");
    expect(standingOf({ ...failed, writes: { happened: 1, unknown: 0, latest: [] } })).toBe("failed: time_limit, 1 write happened");
    expect(standingOf({ ...failed, outcomes: ["denied", "failed"] })).toBe("failed: time_limit, write denied");
  });

  it("says that the model is next while the status is ready, also while an agent asks it", () => {
    expect(standingOf({ ...ended, endedAt: null, status: "ready" })).toBe("ready: the model is next");
  });

  it("is the status alone while it has not ended and waits for others", () => {
    expect(standingOf({ ...ended, endedAt: null, status: "waiting", outcomes: ["denied"] })).toBe("waiting");
  });
});
