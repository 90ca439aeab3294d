import { type Call, failedResult, type Report } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { emptyReport } from "../profile.ts";
import { releaseInvestigation } from "./release-investigation.ts";
import { reportAfterRound } from "./report.ts";

const rule = releaseInvestigation.report;
if (!rule) throw new Error("the profile files a report");

const call = (part: Partial<Call>): Call =>
  ({
    callId: "rn_00_01JD0000000000000000000001.1.0",
    transcriptId: "p1",
    toolName: "file_risk_report",
    arguments: '{"findings":["a","b"],"severity":"high"}',
    resolvedAt: 5,
    ...part,
  }) as Call;

const after = (...calls: Call[]): Report => reportAfterRound(emptyReport(rule, { releaseId: "v2" }), rule, calls);

describe("the report of an investigation", () => {
  it("takes severity and findings from the write that files it, and its id from the target's answer", () => {
    const report = after(call({ result: { status: "ok", content: '{"report_id":"r-7"}', isError: false } }));
    expect(report).toMatchObject({ subject: "v2", severity: "high", findings: ["a", "b"], filing: { status: "filed", reportId: "r-7" } });
  });

  it("names both ids of every call as evidence, with the hash of what it said", () => {
    const [row] = after(
      call({
        toolName: "get_release_summary",
        transcriptId: "seed_get_release_summary",
        result: { status: "ok", content: "{}", isError: false },
      }),
    ).evidence;
    expect(row).toMatchObject({
      callId: "rn_00_01JD0000000000000000000001.1.0",
      transcriptId: "seed_get_release_summary",
      contentHash: expect.stringMatching(/^sha256-/),
      at: 5,
    });
  });

  it.each([
    ["denied_by_user", "denied"],
    ["approval_expired", "expired"],
    ["outcome_unknown", "outcome_unknown"],
    ["cancelled", "cancelled"],
    ["execution_failed", "failed"],
  ])("says of a filing that ended as %s that it is %s, never that it is filed", (code, status) => {
    expect(after(call({ result: failedResult(code, "no") })).filing).toMatchObject({ status });
  });

  it("keeps what an earlier round found when a later one files nothing", () => {
    const filed = after(call({ result: { status: "ok", content: '{"report_id":"r-7"}', isError: false } }));
    const later = reportAfterRound(filed, rule, [
      call({ toolName: "get_release_summary", result: { status: "ok", content: "{}", isError: false } }),
    ]);
    expect(later).toMatchObject({ severity: "high", filing: { status: "filed" } });
    expect(later.evidence).toHaveLength(2);
  });
});
