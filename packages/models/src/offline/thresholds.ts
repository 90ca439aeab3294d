import type { Severity } from "@toolbus/contracts";

/** The lowest values at which a measure is a medium or a high finding. Null if it never is. */
export interface Threshold {
  readonly medium: number | null;
  readonly high: number | null;
  /** A sentence about the measure and its reason. `docs/offline-investigator.md` contains the same sentence. */
  readonly sentence: string;
}

/** Every threshold of the offline rules. A value that equals the threshold reaches it. */
export const thresholds = {
  missingTestRuns: {
    medium: 1,
    high: null,
    sentence:
      "A summary in which no test has run counts as one missing run; what was not tested is unknown, so it is medium and never more.",
  },
  failedTests: { medium: 1, high: null, sentence: "Tests that failed; a release with even one is not clean." },
  failedTestShare: {
    medium: null,
    high: 0.05,
    sentence: "Failed tests as a share of those that ran, passed or failed; skipped ones do not count.",
  },
  criticalFailures: {
    medium: null,
    high: 1,
    sentence: "Failed tests in a critical area by test or suite name, and unnamed failures when the release changes a critical area.",
  },
  skippedTestShare: {
    medium: 0.2,
    high: null,
    sentence: "Skipped tests as a share of all reported; a suite that mostly did not run proves little.",
  },
  errorRate: { medium: 0.01, high: 0.02, sentence: "Failed requests as a share of all requests, whatever they were before." },
  errorRateGrowth: {
    medium: 1.25,
    high: 2,
    sentence: "The error rate divided by its baseline; a baseline below the floor counts as the floor.",
  },
  p95Growth: { medium: 1.2, high: 1.5, sentence: "The 95th percentile of response time divided by its baseline." },
  changedLines: { medium: 1000, high: 10_000, sentence: "Lines inserted plus lines deleted; a large change hides more than a small one." },
  riskyAreas: { medium: 1, high: 3, sentence: "Kinds of risky area that the release changes, each counted once." },
  revertSubjects: {
    medium: 1,
    high: null,
    sentence: "Changes whose subject says revert, rollback or hotfix; they were made in haste or undo something.",
  },
  singleAuthorLines: { medium: 500, high: null, sentence: "Changed lines of a release that one person wrote alone." },
} as const satisfies Record<string, Threshold>;

export type Measure = keyof typeof thresholds;

/** Returns the severity of a value of this measure. It is low for `NaN`. */
export function severityOf(measure: Measure, value: number): Severity {
  const { medium, high }: Threshold = thresholds[measure];
  // Without rounding, a quotient of decimal fractions may be 1.2499999999999998 instead of 1.25.
  const rounded = Number.isFinite(value) ? Math.round(value * 1e6) / 1e6 : value;
  if (high !== null && rounded >= high) return "high";
  if (medium !== null && rounded >= medium) return "medium";
  return "low";
}

/** The constants of the rules that are not thresholds. */
export const constants = {
  errorRateFloor: {
    value: 0.001,
    sentence: "The smallest baseline that an error rate is compared with, so that noise near zero does not count as growth.",
  },
  maxRevisions: { value: 3, sentence: "How often a report is revised for its reviewer in one run." },
} as const satisfies Record<string, { readonly value: number; readonly sentence: string }>;
