import type { Report } from "@toolbus/contracts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import type { Paint } from "../terminal/output.ts";

/** Returns a report as lines: its subject, its severity, whether it was filed, the cause, the findings and the calls that are the evidence. */
export function reportLines(report: Report, paint: Paint): string[] {
  const { subject, severity, cause, findings, evidence } = report;
  const style = severity === "high" ? "red" : severity === "medium" ? "yellow" : severity === "low" ? "green" : "dim";
  // If the investigation did not try to file the report, the text does not mention filing.
  const filing = report.filing.status === "not_attempted" ? "" : `  ${paint("dim", `(${filingOf(report)})`)}`;
  return [
    `${paint("bold", `Report on ${subject}:`)} ${paint(style, severity ?? "not assessed")}${filing}`,
    ...(cause === null || cause === undefined ? [] : wrapped(paint("reset", `cause: ${cause}`), WIDTH)),
    ...findings.flatMap((finding) => item(paint("reset", finding))),
    ...(evidence.length === 0 ? [] : [paint("dim", "evidence:")]),
    ...evidence.map((row) => paint("dim", `  ${row.callId}  ${row.tool}  ${row.status}`)),
  ];
}

function item(text: string): string[] {
  return wrapped(text, WIDTH - 4).map((line, n) => `  ${n === 0 ? "-" : " "} ${line}`);
}

/** Returns the outcome of the write that files the report, in words. */
export function filingOf({ filing: { status, reportId } }: Pick<Report, "filing">): string {
  if (status === "filed") return `filed as ${reportId ?? "a report without an id"}`;
  if (status === "outcome_unknown") return "it may or may not have been filed";
  return `not filed: ${status.replaceAll("_", " ")}`;
}
