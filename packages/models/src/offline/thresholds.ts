import type { Severity } from "@toolbus/contracts";

/** The lowest values at which a measure is a medium or a high finding. Null if the measure is never such a finding. */
export interface Threshold {
  readonly medium: number | null;
  readonly high: number | null;
  /** A sentence about the measure and its reason. `docs/offline-investigator.md` contains the same sentence. */
  readonly sentence: string;
}

/** Every threshold of the offline rules. A value that equals the threshold reaches it. */
export const thresholds = {
  failedTests: { medium: 1, high: null, sentence: "The number of tests that failed. One is enough for a finding." },
  failedTestShare: {
    medium: null,
    high: 0.05,
    sentence: "Failed tests as a share of the tests that ran. Skipped tests do not count.",
  },
  criticalFailures: {
    medium: null,
    high: 1,
    sentence:
      "Failed tests whose own or suite name belongs to a critical area. If the release changes a critical area, failed tests without a name count too.",
  },
  skippedTestShare: {
    medium: 0.2,
    high: null,
    sentence: "Skipped tests as a share of all reported tests. A suite that mostly did not run proves little.",
  },
  errorRate: {
    medium: 0.01,
    high: 0.02,
    sentence: "Failed requests as a share of all requests, whatever the share was before the release.",
  },
  errorRateGrowth: {
    medium: 1.25,
    high: 2,
    sentence: "The error rate divided by its baseline. A baseline below errorRateFloor counts as errorRateFloor.",
  },
  p95Growth: { medium: 1.2, high: 1.5, sentence: "The 95th percentile of the response time divided by its baseline." },
  changedLines: {
    medium: 1000,
    high: 10_000,
    sentence:
      "Inserted plus deleted lines, without the lines of lockfiles, docs, generated and vendored files that the summary lists. A large change is harder to review than a small one.",
  },
  riskyAreas: { medium: 1, high: 3, sentence: "The number of different risky areas that the release changes." },
  revertSubjects: {
    medium: 1,
    high: null,
    sentence: "Commits whose subject says revert, rollback or hotfix. Their authors worked in haste or undid something.",
  },
  singleAuthorLines: { medium: 500, high: null, sentence: "Changed lines of a release that has only one author." },
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
    sentence: "The smallest baseline with which the rules compare an error rate, so that noise near zero does not count as growth.",
  },
  longHistory: {
    value: 300,
    sentence:
      "The most changes of a release without an earlier one that the rules judge by their size and words. A longer history is no change.",
  },
  maxRevisions: { value: 3, sentence: "How often the rules revise a report for its approver in one run." },
} as const satisfies Record<string, { readonly value: number; readonly sentence: string }>;
