import { type Call, type Evidence, type JsonObject, type Report, SEVERITIES, type Severity } from "@toolbus/contracts";
import { contentHash } from "@toolbus/grants";
import type { ReportRule } from "../profile.ts";

/** The report after a round: its calls become evidence, and the filing write says what was found and whether it was filed. */
export function reportAfterRound(report: Report, rule: ReportRule, calls: readonly Call[]): Report {
  const resolved = calls.filter((call) => call.result);
  const evidence = [...report.evidence, ...resolved.map(evidenceOf)].slice(-256);
  const filing = resolved.findLast((call) => call.toolName === rule.tool);
  return filing ? { ...report, ...found(filing, rule), evidence, filing: filingOf(filing, rule) } : { ...report, evidence };
}

function evidenceOf(call: Call): Evidence {
  return {
    callId: call.callId,
    transcriptId: call.transcriptId,
    tool: call.toolName,
    status: call.result?.status ?? "error",
    contentHash: contentHash(call.result?.content ?? ""),
    at: call.resolvedAt ?? 0,
  };
}

function found(call: Call, rule: ReportRule): { severity: Severity | null; findings: string[] } {
  const args = object(call.arguments);
  const severity = SEVERITIES.find((known) => known === args[rule.severityArgument]) ?? null;
  const findings = args[rule.findingsArgument];
  return {
    severity,
    findings: Array.isArray(findings)
      ? findings
          .filter((finding) => typeof finding === "string")
          .map((finding) => finding.slice(0, 2000))
          .slice(0, 64)
      : [],
  };
}

function filingOf(call: Call, rule: ReportRule): Report["filing"] {
  const { callId, result } = call;
  if (result?.status === "ok") {
    const reportId = object(result.content)[rule.reportIdField];
    return { status: "filed", callId, ...(typeof reportId === "string" ? { reportId } : {}) };
  }
  if (result?.status === "outcome_unknown") return { status: "outcome_unknown", callId };
  if (result?.status === "cancelled") return { status: "cancelled", callId };
  if (result?.status === "denied") return { status: result.error?.code === "approval_expired" ? "expired" : "denied", callId };
  return { status: "failed", callId };
}

/** The fields of JSON text; none when it is no object. */
function object(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
