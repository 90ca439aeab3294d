import { SEVERITIES, type Severity } from "@toolbus/contracts";

/** One statement of the rules about a release. */
export interface Finding {
  readonly severity: Severity;
  /** The finding in one line, with the figures that support it. */
  readonly text: string;
  /** The parts of the summary that contain the figures. */
  readonly basis: string;
  /** The rule that found it. The name of a rule does not change. */
  readonly rule: SummaryRule;
}

/** A statement that belongs to no rule over summaries, such as one about the service of an alert. */
export type Sign = Omit<Finding, "rule">;

/** The rules over a release summary, by name, with the kind of their findings and what to do. */
export const summaryRules = {
  "failed-tests": { kind: "tests", advice: "Find out whether the release broke these tests before it is deployed." },
  "critical-failures": { kind: "tests", advice: "Do not deploy it before these tests pass." },
  "skipped-tests": { kind: "tests", advice: "Run the skipped tests, or say why they do not matter." },
  "passed-tests": { kind: "tests", advice: null },
  "error-rate": { kind: "metrics", advice: "Compare the errors with those before the deployment, and go back if they are new." },
  "response-time": { kind: "metrics", advice: "Find out which requests became slower before more users get the release." },
  "changed-lines": { kind: "size", advice: "Roll it out in steps and watch each step." },
  "risky-areas": { kind: "risky_area", advice: "Ask somebody who knows these areas to look at the change." },
  "revert-subjects": { kind: "revert", advice: "Find out what was undone and why." },
  "single-author": { kind: "review", advice: "Ask a second person to review the change." },
} as const satisfies Record<string, { readonly kind: string; readonly advice: string | null }>;

export type SummaryRule = keyof typeof summaryRules;

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
