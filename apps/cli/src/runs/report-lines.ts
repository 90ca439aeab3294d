import type { Report } from "@toolbus/contracts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import type { Paint } from "../terminal/output.ts";
import { oneLine, styleOf, verdictLines } from "./verdict-lines.ts";

/**
 * Returns a report as lines: its subject, its severity, whether it was filed, the cause, the findings as a table, and the calls that are the evidence.
 */
export function reportLines(report: Report, paint: Paint, width: number = WIDTH): string[] {
  const { subject, severity, cause, evidence } = report;
  // If the investigation did not try to file the report, the text does not mention filing.
  const filing = report.filing.status === "not_attempted" ? "" : `  ${paint("dim", `(${oneLine(filingOf(report))})`)}`;
  return [
    `${paint("bold", `Report on ${oneLine(subject)}:`)} ${paint(styleOf(severity), severity ?? "not assessed")}${filing}`,
    ...(cause === null || cause === undefined ? [] : wrapped(oneLine(`cause: ${cause}`), width).map((line) => paint("reset", line))),
    ...verdictLines(report, paint, width),
    ...(evidence.length === 0 ? [] : [paint("dim", "evidence:")]),
    ...evidence.map((row) => paint("dim", `  ${row.callId}  ${row.tool}  ${row.status}`)),
  ];
}

/** Returns the outcome of the write that files the report, in words. */
export function filingOf({ filing: { status, reportId } }: Pick<Report, "filing">): string {
  if (status === "filed") return `filed as ${reportId ?? "a report without an id"}`;
  if (status === "outcome_unknown") return "it may or may not have been filed";
  return `not filed: ${status.replaceAll("_", " ")}`;
}
