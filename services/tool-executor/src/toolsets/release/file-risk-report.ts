import { defineTool, type Tool } from "@toolbus/tool-kit";
import { RELEASE_API, RELEASE_OWNER } from "./release-dependency.ts";
import type { ReleaseApi, RiskReport } from "./release-api.ts";

/** The time for which the release API keeps an Idempotency-Key. Its reports are never removed, so 30 days is a safe promise. */
const KEY_KEPT_MS = 30 * 86_400_000;

/** Returns the tool for the write at the end of an investigation. The release API honours the call's id as its Idempotency-Key. */
export function fileRiskReport(api: ReleaseApi): Tool {
  return defineTool({
    name: "file_risk_report",
    kind: "write",
    description: [
      "Files a risk report for one release where its owners read it. A person approves the report before it is filed.",
      'Input: release_id, the name of the release, for example "v1.4.0"; severity, one of low, medium, high; findings, 1 to 64 sentences of at most 1000 characters each, every one about something that was looked up.',
      "Severity high: critical tests fail, errors rise or risky areas change. Medium: smaller faults. Low: nothing that speaks against the release.",
      "Output: a JSON object with report_id, release_id, severity and url.",
      "Do not use it for notes, questions or drafts, nor twice for the same findings: a filed report cannot be taken back.",
    ].join("\n"),
    parameters: {
      type: "object",
      properties: {
        release_id: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          pattern: "^[^\\u0000-\\u001f]+$",
          description: 'Name of the release, for example "v1.4.0"',
        },
        severity: { type: "string", enum: ["low", "medium", "high"] },
        findings: {
          type: "array",
          minItems: 1,
          maxItems: 64,
          items: { type: "string", minLength: 1, maxLength: 1000, pattern: "\\S" },
          description: "What was found, one sentence each",
        },
      },
      required: ["release_id", "severity", "findings"],
      additionalProperties: false,
    },
    owner: RELEASE_OWNER,
    dependencies: [RELEASE_API],
    slo: { p99Ms: 5000, successRate: 0.99 },
    limits: { callsPerMinute: 120 },
    risk: { tier: "high" },
    idempotency: { mode: "key", keepsForMs: KEY_KEPT_MS },
    effect: "File a {severity} risk report for release {release_id} with {findings}.",
    resource: ({ release_id }) => `release:${release_id}`,
    prepare: (report: RiskReport): RiskReport => report,
    run: (report, { idempotencyKey, signal }) => api.fileReport(report, idempotencyKey, signal),
  });
}
