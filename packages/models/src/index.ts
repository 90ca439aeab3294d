export * from "./connect-model.ts";
export * from "./model-errors.ts";
export * from "./model-provider.ts";
export * from "./offline/assess-release.ts";
export * from "./offline/finding.ts";
export * from "./offline/offline-model.ts";
export { type MetricFacts, readReleaseFacts, type ReleaseFacts, type TestFacts } from "./offline/release-facts.ts";
export * from "./offline/thresholds.ts";
export * from "./pairing.ts";
