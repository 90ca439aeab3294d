export type { Observation, ObservedCall, ObservedRound } from "./observation/observation.ts";
export { type Dimension, DIMENSIONS, type Score, type Trial, type TrialUsage } from "./result/trial.ts";
export type { SuiteResult } from "./result/suite-result.ts";
export { type RecordedScenario, scenarioOfRecord } from "./recorded/scenario-of-record.ts";
