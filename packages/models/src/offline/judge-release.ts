import type { Severity, Verdict, VerdictEvidence, VerdictFinding, VerdictPoint } from "@toolbus/contracts";
import { assessRelease } from "./assess-release.ts";
import { assessChange } from "./change/assess-change.ts";
import type { ChangeAssessment, Evidence } from "./change/change-finding.ts";
import { changeRules } from "./change/change-rules.ts";
import type { CodeEvidence } from "./code-evidence.ts";
import { type Finding, type Findings, graver, gravity, summaryRules } from "./finding.ts";
import { type GivenMeasurements, NO_MEASUREMENTS, withGiven } from "./given-measurements.ts";
import { metricFindings } from "./metric-findings.ts";
import type { ReleaseFacts } from "./release-facts.ts";
import { hasRun, testFindings } from "./test-findings.ts";
import { constants } from "./thresholds.ts";

/** What the rules say about a release, from everything that the run has read. */
export interface ReleaseJudgement extends Omit<Verdict, "comments" | "confidence"> {
  readonly severity: Severity;
  readonly confidence: Severity;
}

/**
 * Judges a release by its summary and by the facts of its change. With facts, the rules over facts judge the change, and the summary adds its tests
 * and metrics. Words in its paths and its raw size then count no longer, because they are wrong more often than right. Measurements that came with the
 * request replace those of the summary. What is unknown lowers the confidence and never raises the severity.
 */
export function judgeRelease(read: ReleaseFacts | null, code: CodeEvidence, given: GivenMeasurements = NO_MEASUREMENTS): ReleaseJudgement {
  const summary = read && withGiven(read, given);
  const change = code.facts && assessChange(code.facts);
  const isHistory = summary !== null && isLongHistory(summary);
  const groups = summary ? (change || isHistory ? withoutWords(summary) : assessRelease(summary)) : withoutSummary(given);
  const ofSummary = groups.findings.map(fromSummary);
  const findings = [...(change ? fromChange(change) : []), ...ofSummary].toSorted((a, b) => rank(b) - rank(a));
  const [worst] = findings;
  return {
    severity: graver(change?.severity ?? "low", worst?.severity ?? "low"),
    confidence: confidenceIn({ unreadable: [], ...(summary ?? given) }, change),
    base: code.facts ? point(code.facts.base) : ends(summary?.from ?? null),
    head: code.facts ? point(code.facts.head) : ends(summary?.to ?? null),
    package: code.facts?.package?.name ?? null,
    rules: [...(change?.fired ?? []), ...new Set(groups.findings.filter(({ severity }) => severity !== "low").map(({ rule }) => rule))],
    findings,
    unknowns: [...(change?.unknowns ?? []), ...[code.unknown, given.unknown].filter((unknown) => unknown !== null), ...groups.unknowns],
  };
}

/**
 * Returns whether anything was assessed. Without facts, a long history has only its tests and metrics, and if they are clean, a low report would say
 * something about changes that nobody judged.
 */
export function isAssessed(summary: ReleaseFacts | null, code: CodeEvidence, { severity }: ReleaseJudgement): boolean {
  return code.facts !== null || summary === null || !isLongHistory(summary) || severity !== "low";
}

function isLongHistory({ isWholeHistory, changeCount, changes }: ReleaseFacts): boolean {
  return isWholeHistory && (changeCount ?? changes.length) > constants.longHistory.value;
}

/** Returns the findings about tests and metrics. A failed test is critical only by its own name. */
function withoutWords({ tests, metrics }: Pick<ReleaseFacts, "tests" | "metrics">): Findings {
  return joined([testFindings({ tests, paths: [], changes: [] }), metricFindings({ metrics })]);
}

/** Returns the findings about measurements that came with the request, and which parts are missing without a summary. */
function withoutSummary({ tests, metrics }: GivenMeasurements): Findings {
  return joined([
    tests ? testFindings({ tests, paths: [], changes: [] }) : notRead("Test results"),
    metrics ? metricFindings({ metrics }) : notRead("Deployment metrics"),
  ]);
}

function notRead(what: string): Findings {
  return {
    findings: [],
    unknowns: [`${what}: the run has read no release summary. The release API gives them, if it has the release.`],
  };
}

function joined(groups: readonly Findings[]): Findings {
  return { findings: groups.flatMap((group) => group.findings), unknowns: groups.flatMap((group) => group.unknowns) };
}

function fromSummary({ severity, text, rule }: Finding): VerdictFinding {
  const { kind, advice } = summaryRules[rule];
  return { severity, kind, rule, text, evidence: [], evidenceOmitted: 0, advice: severity === "low" ? null : advice };
}

function fromChange({ severity, because, findings, fired }: ChangeAssessment): readonly VerdictFinding[] {
  const found = findings.flatMap((finding) => inParts({ ...finding, evidence: finding.evidence.map(placeOf) }));
  // A rule that only sets the lowest severity gives no finding, but the reader must see why the release is not low.
  if (found.length > 0 && findings[0]?.severity === severity) return found;
  const rule = severity === "low" ? null : (fired.find((name) => changeRules[name].kind === null) ?? null);
  const kind = rule === null ? null : "release";
  return [...found, { severity, kind, rule, text: because, evidence: [], evidenceOmitted: 0, advice: null }];
}

/** How many places surely fit into the text of a finding. */
const PLACES = 6;

/** Returns a finding of the highest severity in parts, so that the report names all its places. The other findings name the first ones. */
function inParts(finding: VerdictFinding): readonly VerdictFinding[] {
  const { severity, evidence, evidenceOmitted } = finding;
  if (severity !== "high" || evidence.length <= PLACES) return [finding];
  const count = Math.ceil(evidence.length / PLACES);
  return Array.from({ length: count }, (_, index): VerdictFinding => {
    const places = evidence.slice(index * PLACES, (index + 1) * PLACES);
    const own = { ...finding, evidence: places, evidenceOmitted: index === count - 1 ? evidenceOmitted : 0 };
    if (index === 0) return own;
    return { ...own, text: `Further places of the same finding, part ${index + 1} of ${count}.`, advice: null };
  });
}

function placeOf(place: Evidence): VerdictEvidence {
  return "file" in place ? { file: place.file, lines: place.lines ? [...place.lines] : null } : place;
}

/** The weights are those of the rules over facts: two make the confidence medium, and four make it low. */
function confidenceIn(
  { tests, metrics, unreadable }: Pick<ReleaseFacts, "tests" | "metrics" | "unreadable">,
  change: ChangeAssessment | null,
): Severity {
  const code = change === null ? 2 : { high: 0, medium: 2, low: 4 }[change.confidence];
  const weight = (tests && hasRun(tests) ? 0 : 2) + (metrics ? 0 : 1) + code + unreadable.length;
  return weight >= 4 ? "low" : weight >= 2 ? "medium" : "high";
}

const rank = ({ severity }: VerdictFinding): number => (severity === null ? -1 : gravity(severity));
const point = ({ ref, commit }: { readonly ref: string; readonly commit: string }): VerdictPoint => ({ ref, commit: commit.slice(0, 12) });
const ends = (ref: string | null): VerdictPoint | null => (ref === null ? null : { ref, commit: null });
