export { matcherFault, matches } from "./matcher/matches.ts";
export type { Observation, ObservedCall, ObservedRound } from "./observation/observation.ts";
export { observationOf, type RunTimes } from "./observation/observe.ts";
export { type Dimension, DIMENSIONS, type Score, type Trial, type TrialUsage } from "./result/trial.ts";
export type { SuiteResult } from "./result/suite-result.ts";
export type { Assignment, ScenarioHost, Variant } from "./runner/scenario-host.ts";
export type { Checked } from "./scenario/checked-file.ts";
export { readSuite } from "./scenario/read-suite.ts";
export type {
  Criterion,
  Expectations,
  Fixture,
  JudgeSettings,
  Scenario,
  ScenarioInput,
  ScriptedDecision,
  ScriptedTurn,
  Suite,
} from "./scenario/scenario.ts";
export { scoresOf } from "./scoring/scores-of.ts";
