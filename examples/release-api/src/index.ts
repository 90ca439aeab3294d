export { loadRelease, type LoadedRelease, type LoadReleaseOptions } from "./load-release.ts";
export { type ReleaseApi, type ReleaseApiOptions, startReleaseApi } from "./release-api.ts";
export type { ReleasePoint } from "./git-range.ts";
export type { TestFailure, TestResults } from "./junit.ts";
export type { DeploymentMetrics, Metrics } from "./metrics.ts";
export type { ReleaseSource, ReleaseSummary } from "./release-summary.ts";
export type { RiskReport, RiskReportRequest, Severity } from "./risk-report.ts";
export type { Releases } from "./routes.ts";
