/** The risk of a release. High: critical test failures, more errors, risky changes. Medium: minor faults. Low: nothing found. */
export const SEVERITIES = ["low", "medium", "high"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The body of `POST /risk-report`. */
export interface RiskReportRequest {
  readonly release_id: string;
  readonly severity: Severity;
  readonly findings: readonly string[];
  readonly note?: string;
}

/** A filed report. `filed_at` is ISO 8601 in UTC. */
export interface RiskReport extends RiskReportRequest {
  readonly report_id: string;
  readonly filed_at: string;
}

/** One fault in a body: the field, and what is wrong with the field. */
export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

const FIELDS = ["release_id", "severity", "findings", "note"];
const MAX_FINDINGS = 64;
const MAX_FINDING = 1_000;
const MAX_NOTE = 4_000;
const MAX_PROBLEMS = 16;

/** The greatest length of a release id that is looked up. */
export const MAX_RELEASE_ID = 200;

/** Parses a body strictly. The result names every fault. An unknown field is a fault too. */
export function parseRiskReport(
  body: unknown,
): { readonly ok: true; readonly request: RiskReportRequest } | { readonly ok: false; readonly problems: readonly FieldProblem[] } {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { ok: false, problems: [{ field: "", problem: "must be an object" }] };
  }
  const fields = new Map<string, unknown>(Object.entries(body));
  const problems: FieldProblem[] = [...fields.keys()]
    .filter((name) => !FIELDS.includes(name))
    .map((name) => ({ field: name.slice(0, 60), problem: `is not a known field; known are ${FIELDS.join(", ")}` }));
  const wrong = (field: string, problem: string) => void problems.push({ field, problem });

  const release_id = fields.get("release_id");
  if (!isText(release_id, MAX_RELEASE_ID)) wrong("release_id", `must be text of 1 to ${MAX_RELEASE_ID} characters`);
  const severity = SEVERITIES.find((known) => known === fields.get("severity"));
  if (!severity) wrong("severity", `must be one of ${SEVERITIES.join(", ")}`);
  const findings = fields.get("findings");
  const listed = isFindings(findings);
  if (!listed) wrong("findings", `must be a list of 1 to ${MAX_FINDINGS} texts of 1 to ${MAX_FINDING} characters`);
  const note = fields.get("note");
  const noted = note === undefined || isText(note, MAX_NOTE);
  if (!noted) wrong("note", `must be text of 1 to ${MAX_NOTE} characters`);

  if (problems.length > 0 || !isText(release_id, MAX_RELEASE_ID) || !severity || !listed || !noted) {
    return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
  }
  return { ok: true, request: { release_id, severity, findings, ...(note === undefined ? {} : { note }) } };
}

function isText(value: unknown, max: number): value is string {
  return typeof value === "string" && value.length <= max && value.trim() !== "";
}

function isFindings(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length >= 1 && value.length <= MAX_FINDINGS && value.every((finding) => isText(finding, MAX_FINDING))
  );
}
