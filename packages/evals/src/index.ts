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
export { type ReadResult, readSuiteResult, RESULT_FORMAT } from "./result/read-suite-result.ts";
export { type Interval } from "./statistics/interval.ts";
export { type RandomSource, seededRandom } from "./statistics/random-source.ts";
export { type Calibration, calibrate, calibrationFile, type Gate, gateOf, readCalibration } from "./judge/calibration.ts";
export { type Judge, judge, type JudgeIdentity, type Judgement, type JudgeOptions } from "./judge/judge.ts";
export type { Judged } from "./judge/judged-record.ts";
export { judgeScores, type JudgeScores } from "./judge/judge-scores.ts";
export { type LabelledExample, type Labels, readLabels } from "./judge/labels.ts";
export { type Baseline, baselineOf, readBaseline } from "./baseline/baseline.ts";
export { type Change, WARNS_OVER } from "./baseline/change.ts";
export { compareToBaseline, type NotCompared, type Regressions } from "./baseline/compare-baseline.ts";
export { compareVariants, type VariantComparison } from "./report/compare-variants.ts";
export { type EvaluationReport, evaluationReport, hasPassed, type VariantReport } from "./report/evaluation-report.ts";
export { htmlReport } from "./report/html/html-report.ts";
export { changeInWords, comparisonInWords, notComparedInWords } from "./report/in-words.ts";
export { markdownReport } from "./report/markdown-report.ts";
export { comparisonDocument, regressionDocument, reportDocument } from "./report/report-document.ts";
export { summaryRows } from "./report/summary-rows.ts";
export { scenarioOutcomes, type ScenarioOutcome, variantsOf } from "./report/scenario-outcome.ts";
export { type RecordedScenario, scenarioOfRecord } from "./recorded/scenario-of-record.ts";
