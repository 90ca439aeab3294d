import {
  type Call,
  type Evidence,
  isJsonObject,
  type Json,
  type JsonObject,
  type Report,
  SEVERITIES,
  type Severity,
} from "@toolbus/contracts";
import { resultHash } from "@toolbus/grants";
import type { FilingRule, ReportRule } from "../profile.ts";

/** The name of the loop's own tool that records the conclusion of an investigation. */
export const CONCLUDE = "conclude";

/** The finding that is added to a conclusion without a cause, so that nobody mistakes the empty field for an oversight. */
export const NO_CAUSE = "No cause was found.";

/**
 * Returns the report after a round, with the round's calls as evidence. The rule says whether the findings come from the write that files the report
 * or from the conclusion. Later findings replace earlier ones.
 */
export function reportAfterRound(report: Report, rule: ReportRule, calls: readonly Call[]): Report {
  const resolved = calls.filter((call) => call.result);
  if (rule.kind === "conclusion") {
    const after = withEvidence(
      report,
      resolved.filter((call) => call.toolName !== CONCLUDE),
    );
    const conclusion = resolved.findLast((call) => call.toolName === CONCLUDE && call.result?.status === "ok");
    return conclusion ? { ...after, ...concluded(conclusion) } : after;
  }
  const after = withEvidence(report, resolved);
  const filing = resolved.findLast((call) => call.toolName === rule.tool);
  return filing ? { ...after, ...filed(filing, rule), filing: filingOf(filing, rule) } : after;
}

function withEvidence(report: Report, calls: readonly Call[]): Report {
  return { ...report, evidence: [...report.evidence, ...calls.map(evidenceOf)].slice(-256) };
}

function evidenceOf(call: Call): Evidence {
  return {
    callId: call.callId,
    transcriptId: call.transcriptId,
    tool: call.toolName,
    status: call.result?.status ?? "error",
    contentHash: resultHash(call.result ?? { content: "" }),
    at: call.resolvedAt ?? 0,
    ...(call.approvedBy === undefined ? {} : { approvedBy: call.approvedBy }),
    ...(call.effect === undefined ? {} : { effect: call.effect }),
  };
}

function filed(call: Call, rule: FilingRule): { severity: Severity | null; findings: string[] } {
  const args = object(call.arguments);
  return { severity: severityIn(args[rule.severityArgument]), findings: textsIn(args[rule.findingsArgument]) };
}

function concluded(call: Call): { cause: string | null; severity: Severity | null; findings: string[] } {
  const { cause, severity, findings } = object(call.arguments);
  const found = textsIn(findings);
  const named = typeof cause === "string" && cause.trim() !== "" ? cause.slice(0, MAX_CHARS) : null;
  return {
    cause: named,
    severity: severityIn(severity),
    findings: named === null ? [NO_CAUSE, ...found.filter((finding) => finding !== NO_CAUSE)].slice(0, MAX_FINDINGS) : found,
  };
}

const MAX_CHARS = 2000;
const MAX_FINDINGS = 64;

function severityIn(value: Json | undefined): Severity | null {
  return SEVERITIES.find((known) => known === value) ?? null;
}

function textsIn(value: Json | undefined): string[] {
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  return items
    .filter((item) => typeof item === "string")
    .map((item) => item.slice(0, MAX_CHARS))
    .slice(0, MAX_FINDINGS);
}

function filingOf(call: Call, rule: FilingRule): Report["filing"] {
  const { callId, result } = call;
  if (result?.status === "ok") {
    const reportId = object(result.content)[rule.reportIdField];
    return { status: "filed", callId, ...(typeof reportId === "string" ? { reportId } : {}) };
  }
  if (result?.status === "outcome_unknown") return { status: knownSince(call.settled), callId };
  if (result?.status === "cancelled") return { status: "cancelled", callId };
  if (result?.status === "denied") return { status: EXPIRED.has(result.error?.code ?? "") ? "expired" : "denied", callId };
  return { status: "failed", callId };
}

/** Returns the status of a filing that ended as unknown. The ledger may have shown its outcome before the round ended. */
function knownSince(settled: Call["settled"]): "outcome_unknown" | "filed" | "failed" {
  if (!settled) return "outcome_unknown";
  return settled.status === "ok" ? "filed" : "failed";
}

/** The error codes of writes that nobody denied. Nobody decided in time, or the write did not begin while its approval was valid. */
const EXPIRED: ReadonlySet<string> = new Set(["approval_expired", "approval_lapsed"]);

/** Returns the fields of JSON text, or none if the text is not an object. */
function object(text: string): JsonObject {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
