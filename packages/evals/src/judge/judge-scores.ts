import type { Score } from "../result/trial.ts";
import { type Calibration, gateOf } from "./calibration.ts";
import type { Judge, Judgement } from "./judge.ts";
import type { Criterion } from "./judge-prompt.ts";
import type { Judged } from "./judged-record.ts";

/** Scores the rubric of a scenario about one run, one score for each criterion. */
export type JudgeScores = (rubric: readonly Criterion[], judged: Judged, signal: AbortSignal) => Promise<readonly Score[]>;

/**
 * Returns the scorer of a judge. The scores are advisory unless the calibration shows that this judge may gate. A criterion without a verdict is a
 * score with `error`, which never passes.
 */
export function judgeScores(asked: Judge, calibration: Calibration | null): JudgeScores {
  const gate = gateOf(asked.identity, calibration);
  return async (rubric, judged, signal) => {
    const scores: Score[] = [];
    // One criterion at a time, so that at most as many requests run as the judge has votes.
    for (const criterion of rubric) scores.push(scoreOf(criterion, await asked.ask(criterion, judged, signal)));
    return gate.gates
      ? scores
      : scores.map((score) => ({ ...score, advisory: true, reason: `${score.reason} (advisory, because ${gate.why})` }));
  };
}

function scoreOf({ name }: Criterion, { answer, yes, no, none, reason }: Judgement): Score {
  const score = { name: `judge ${name}`, dimension: "judge" } as const;
  if (answer === null) return { ...score, value: 0, passed: false, error: true, reason };
  const agreeing = answer === "yes" ? yes : no;
  return {
    ...score,
    value: answer === "yes" ? 1 : 0,
    passed: answer === "yes",
    reason: `${agreeing} of ${yes + no + none} voted ${answer}: ${reason}`,
  };
}
