import { SEVERITIES, type Severity } from "@toolbus/contracts";

/** One statement of the rules about a release. */
export interface Finding {
  readonly severity: Severity;
  /** One line with the figures that it is based on. */
  readonly text: string;
  /** The parts of the summary that the figures come from. */
  readonly basis: string;
}

/** The findings of one group of rules, and what it could not know. */
export interface Findings {
  readonly findings: readonly Finding[];
  readonly unknowns: readonly string[];
}

/** The graver of two severities. */
export function graver(a: Severity, b: Severity): Severity {
  return gravity(a) >= gravity(b) ? a : b;
}

/** Orders severities: a graver one has the higher number. */
export function gravity(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
