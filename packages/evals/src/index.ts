export { type FixtureAnswers, fixtureAnswers, type FixtureCall } from "./fixtures/fixture-answers.ts";
export { matcherFault, matches } from "./matcher/matches.ts";
export type { Observation, ObservedCall, ObservedRound } from "./observation/observation.ts";
export { observationOf, type RunTimes } from "./observation/observe.ts";
export { type Dimension, DIMENSIONS, type Score, type Trial, type TrialUsage } from "./result/trial.ts";
export type { SuiteResult } from "./result/suite-result.ts";
export { type Journal, type JournalHead, journalHead, openJournal } from "./runner/journal.ts";
export { OtherModel, type Progress, runSuite, type SuiteRun } from "./runner/run-suite.ts";
export type { Scorers } from "./runner/run-trial.ts";
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
export { selectScenarios } from "./scenario/select-scenarios.ts";
export { scriptedModel, type TurnsOf } from "./scripted/scripted-model.ts";
export { scoresOf } from "./scoring/scores-of.ts";
