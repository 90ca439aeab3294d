import type { GitSummary } from "./git-summary.ts";
import type { DeploymentMetrics, TestResults } from "@toolbus/release-facts/measurements";

/** The source of a summary: read from a repository just now, or recorded earlier and committed with this example. */
export type ReleaseSource = "git" | "recorded";

/** The answer of `GET /release-summary`. A part that nobody measured is absent, never zero. */
export interface ReleaseSummary extends GitSummary {
  /** The version. It serves as the id of the release. */
  readonly release_id: string;
  readonly source: ReleaseSource;
  readonly tests?: TestResults;
  readonly deployment_metrics?: DeploymentMetrics;
}

/** The measurements of a release, which are not in its history. */
export interface ReleaseMeasurements {
  readonly tests?: TestResults | undefined;
  readonly metrics?: DeploymentMetrics | undefined;
}

/** Combines a history and its measurements into the summary of a release. */
export function releaseSummary(summary: GitSummary, source: ReleaseSource, { tests, metrics }: ReleaseMeasurements): ReleaseSummary {
  const { notes, ...history } = summary;
  return {
    release_id: summary.version,
    source,
    ...history,
    ...(tests ? { tests } : {}),
    ...(metrics ? { deployment_metrics: metrics } : {}),
    notes,
  };
}
