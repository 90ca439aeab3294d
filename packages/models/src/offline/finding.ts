import { SEVERITIES, type Severity } from "@toolbus/contracts";

/** One statement of the rules about a release. */
export interface Finding {
  readonly severity: Severity;
  /** The finding in one line, with the figures that support it. */
  readonly text: string;
  /** The parts of the summary that contain the figures. */
  readonly basis: string;
}

/** The findings of one group of rules, and the facts that the summary does not report. */
export interface Findings {
  readonly findings: readonly Finding[];
  readonly unknowns: readonly string[];
}

/** Returns the more serious of two severities. */
export function graver(a: Severity, b: Severity): Severity {
  return gravity(a) >= gravity(b) ? a : b;
}

/** Returns the rank of a severity. A more serious one has a higher number. */
export function gravity(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
