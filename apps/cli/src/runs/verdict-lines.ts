import {
  type Report,
  type Severity,
  type Verdict,
  type VerdictEvidence,
  type VerdictFinding,
  verdictIn,
  type VerdictPoint,
} from "@toolbus/contracts";
import { wrapped } from "../terminal/lines.ts";
import type { Style } from "../terminal/output.ts";
import { safeText } from "../terminal/safe-text.ts";

/** Styles a text that is already safe. */
type Styled = (style: Style, text: string) => string;

const SEVERITY_WIDTH = "medium".length;
const GAP = "  ";

/**
 * Returns the findings of a report as a small table: what was assessed, one row for each finding with its evidence and advice below it, what is not
 * known, and the rules. The texts come from a repository or a model, so they are made safe before they are styled.
 */
export function verdictLines({ findings }: Pick<Report, "findings">, styled: Styled, width: number): string[] {
  const verdict = verdictIn(findings.map(oneLine));
  const indent = GAP + " ".repeat(SEVERITY_WIDTH) + GAP;
  const block = (style: Style, text: string, before: string) =>
    wrapped(text, Math.max(24, width - before.length)).map((line) => before + styled(style, line));
  const assessed = assessedIn(verdict);
  const rows = verdict.findings.flatMap((finding) => {
    const [first = "", ...more] = wrapped(titleOf(finding), Math.max(24, width - indent.length));
    const severity = (finding.severity ?? "").padEnd(SEVERITY_WIDTH);
    return [
      `${GAP}${styled(styleOf(finding.severity), severity)}${GAP}${first}`,
      ...more.map((line) => indent + line),
      ...placesIn(finding).flatMap((place) => block("dim", place, indent)),
      ...(finding.advice === null ? [] : block("reset", `Do: ${finding.advice}`, indent)),
    ];
  });
  return [
    ...(assessed === "" ? [] : block("reset", assessed, GAP)),
    ...(rows.length === 0 ? [] : [styled("dim", `${GAP}${"".padEnd(SEVERITY_WIDTH)}${GAP}finding, evidence, what to do`)]),
    ...rows,
    ...verdict.comments.flatMap((comment) => block("reset", `Reviewer: ${comment}`, GAP)),
    ...verdict.unknowns.flatMap((unknown) => block("yellow", `Not known: ${unknown}`, GAP)),
    ...(verdict.rules.length === 0 ? [] : block("dim", `Rules: ${verdict.rules.join(", ")}`, GAP)),
  ];
}

/** Returns the style of a severity. */
export function styleOf(severity: Severity | null): "red" | "yellow" | "green" | "dim" {
  return severity === "high" ? "red" : severity === "medium" ? "yellow" : severity === "low" ? "green" : "dim";
}

/** Returns foreign text as one line that is safe for a terminal. */
export const oneLine = (text: string): string => safeText(text.replaceAll(/\s+/g, " "));

function assessedIn({ base, head, package: name, confidence }: Verdict): string {
  const range = base && head ? `from ${pointText(base)} to ${pointText(head)}` : "";
  const parts = [range, name === null ? "" : `package ${name}`, confidence === null ? "" : `confidence ${confidence}`];
  return parts.filter((part) => part !== "").join(", ");
}

const pointText = ({ ref, commit }: VerdictPoint): string => (commit === null ? ref : `${ref} (${commit})`);

function titleOf({ kind, text }: VerdictFinding): string {
  return kind === null ? text : `${kind.replaceAll("_", " ")}: ${text}`;
}

function placesIn({ evidence, evidenceOmitted }: VerdictFinding): readonly string[] {
  return [...evidence.map(placeText), ...(evidenceOmitted > 0 ? [`and ${evidenceOmitted} more`] : [])];
}

function placeText(place: VerdictEvidence): string {
  if ("commit" in place) return `commit ${place.commit} ${place.subject}`;
  if ("file" in place) return place.lines ? `${place.file}:${place.lines.join("-")}` : place.file;
  if ("advisory" in place) return `advisory ${place.advisory}`;
  return `${place.dependency} ${place.from ?? "none"} to ${place.to ?? "none"}`;
}
