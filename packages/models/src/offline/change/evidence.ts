import type { Severity } from "@toolbus/contracts";
import { cleanText } from "../clean-text.ts";
import type { ChangeFinding, Evidence } from "./change-finding.ts";
import { changeRules, type RuleName } from "./change-rules.ts";
import { changeThresholds } from "./change-thresholds.ts";
import type { CommitFacts, DependencyFacts, FileFacts } from "./product-change.ts";

/** The rules that give a finding. */
export type FindingRule = { [Name in RuleName]: (typeof changeRules)[Name]["kind"] extends null ? never : Name }[RuleName];

/** Makes the finding of a rule with all its places, which are plain text. */
export function finding(rule: FindingRule, severity: Severity, text: string, evidence: readonly Evidence[]): ChangeFinding {
  const { kind, advice } = changeRules[rule];
  return { kind, rule, severity, text: cleanText(text, 400), evidence, evidenceOmitted: 0, advice };
}

/** Kinds of which a reader wants every place, because each one needs an answer. */
const GRAVE: ReadonlySet<string> = new Set(["security_fix", "breaking_change", "removed_api"]);

/** Returns a finding with as many places as a reader gets, and the number of the others. */
export function withFewPlaces(finding: ChangeFinding): ChangeFinding {
  const { kind, evidence } = finding;
  const most = changeThresholds[GRAVE.has(kind) ? "graveEvidence" : "evidence"].value;
  return { ...finding, evidence: evidence.slice(0, most), evidenceOmitted: Math.max(0, evidence.length - most) };
}

export function atCommits(commits: readonly CommitFacts[]): readonly Evidence[] {
  return commits.map(({ hash, subject }) => ({ commit: cleanText(hash, 64), subject: cleanText(subject, 160) }));
}

export function atFiles(files: readonly FileFacts[]): readonly Evidence[] {
  return files.map(({ path, hunks }) => ({ file: cleanText(path, 400), lines: linesOf(hunks ?? []) }));
}

/** Returns places at files without lines, each once. */
export function atPaths(paths: readonly string[]): readonly Evidence[] {
  return [...new Set(paths)].map((path) => ({ file: cleanText(path, 400), lines: null }));
}

export function atDependencies(dependencies: readonly Pick<DependencyFacts, "name" | "from" | "to">[]): readonly Evidence[] {
  return dependencies.map(({ name, from, to }) => ({
    dependency: cleanText(name, 200),
    from: from === null ? null : cleanText(from, 100),
    to: to === null ? null : cleanText(to, 100),
  }));
}

export function atAdvisories(ids: readonly string[]): readonly Evidence[] {
  return ids.map((id) => ({ advisory: cleanText(id, 60) }));
}

/** Returns the first items of a list as text: "a, b and 3 more". */
export function named(items: readonly string[], most = 3): string {
  const shown = items.slice(0, most).map((item) => cleanText(item, 100));
  const rest = items.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} and ${rest} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

function linesOf(hunks: NonNullable<FileFacts["hunks"]>): readonly [number, number] | null {
  const [first] = hunks;
  const last = hunks.at(-1);
  return first && last ? [first.line, Math.max(first.line, last.line + Math.max(0, last.added - 1))] : null;
}
