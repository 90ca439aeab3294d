import { type Call, failedResult, type Report } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { emptyReport, type ReportRule } from "../profile.ts";
import { CONCLUDE, NO_CAUSE, reportAfterRound } from "./report.ts";

const rule: ReportRule = {
  kind: "filing",
  tool: "file_risk_report",
  severityArgument: "severity",
  findingsArgument: "findings",
  reportIdField: "report_id",
  subjectFromInput: "releaseId",
};

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
    ["approval_lapsed", "expired"],
    ["outcome_unknown", "outcome_unknown"],
    ["cancelled", "cancelled"],
    ["execution_failed", "failed"],
  ])("says of a filing that ended as %s that it is %s, never that it is filed", (code, status) => {
    expect(after(call({ result: failedResult(code, "no") })).filing).toMatchObject({ status });
  });

  it.each([
    ["ok", "filed"],
    ["not_executed", "failed"],
  ] as const)("says of a filing of unknown outcome, whose ledger said %s before the round ended, that it is %s", (known, status) => {
    const settled = { status: known, at: 9 };
    expect(after(call({ result: failedResult("outcome_unknown", "?"), settled })).filing).toMatchObject({ status });
  });

  it("keeps the findings of an earlier round when a later one files nothing", () => {
    const filed = after(call({ result: { status: "ok", content: '{"report_id":"r-7"}', isError: false } }));
    const later = reportAfterRound(filed, rule, [
      call({ toolName: "get_release_summary", result: { status: "ok", content: "{}", isError: false } }),
    ]);
    expect(later).toMatchObject({ severity: "high", filing: { status: "filed" } });
    expect(later.evidence).toHaveLength(2);
  });
});

describe("the report of an alert", () => {
  const conclusion: ReportRule = { kind: "conclusion", subjectFromInput: "alert.labels.alertname" };
  const input = { alert: { labels: { alertname: "HighErrorRate" } } };
  const ok = { status: "ok" as const, content: '{"recorded":true}', isError: false };
  const concluded = (args: object, part: Partial<Call> = {}): Call =>
    call({ toolName: CONCLUDE, arguments: JSON.stringify(args), result: ok, ...part });
  const afterCalls = (...calls: Call[]): Report => reportAfterRound(emptyReport(conclusion, input), conclusion, calls);

  it("is named for the alert, takes cause, severity and findings from the conclusion, and files nothing", () => {
    expect(afterCalls(concluded({ cause: "Release v2.", severity: "high", findings: ["4 % fail"], summary: "s" }))).toEqual({
      subject: "HighErrorRate",
      cause: "Release v2.",
      severity: "high",
      findings: ["4 % fail"],
      evidence: [],
      filing: { status: "not_attempted" },
    });
  });

  it.each([{}, { cause: null }, { cause: "  " }])("says plainly when no cause was found: %j", (cause) => {
    const { cause: named, findings } = afterCalls(concluded({ ...cause, severity: "low", findings: ["4 % fail"], summary: "s" }));
    expect(named).toBeNull();
    expect(findings).toEqual([NO_CAUSE, "4 % fail"]);
  });

  it("rests on what was looked up, not on the conclusion itself", () => {
    const looked = call({ toolName: "look", transcriptId: "seed_look", result: { status: "ok", content: "{}", isError: false } });
    const { evidence } = afterCalls(looked, concluded({ severity: "low", findings: [], summary: "s" }));
    expect(evidence.map(({ transcriptId }) => transcriptId)).toEqual(["seed_look"]);
  });

  it("takes the last conclusion, and none that was refused", () => {
    const refused = concluded(
      { cause: "The moon.", severity: "low", findings: [], summary: "s" },
      { result: failedResult("invalid_arguments", "no") },
    );
    const { cause } = afterCalls(
      concluded({ cause: "One.", severity: "low", findings: [], summary: "s" }),
      concluded({ cause: "Two.", severity: "low", findings: [], summary: "s" }),
      refused,
    );
    expect(cause).toBe("Two.");
  });

  it.each([{}, { alert: null }, { alert: { labels: { alertname: 7 } } }])("has no name when the input has none: %j", (odd) => {
    expect(emptyReport(conclusion, odd).subject).toBe("");
  });
});
