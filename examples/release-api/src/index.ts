export { loadRelease } from "./load-release.ts";
export { type ReleaseApi, startReleaseApi } from "./release-api.ts";
export type { ReleaseEvidence } from "./release-evidence.ts";
export type { ReleaseSummary } from "./release-summary.ts";
