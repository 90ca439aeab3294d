import type { Observation } from "../observation/observation.ts";
import type { Score } from "../result/trial.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { approvalScores, limitScores, recoveryScore } from "./conduct-scores.ts";
import { decisionScores } from "./decision-scores.ts";
import { verdict } from "./score.ts";
import { toolScores } from "./tool-scores.ts";

/** Returns what the deterministic scorers say about a trial. Each of them looks at one key of `expect`, and none asks a model. */
export function scoresOf({ expect }: Pick<Scenario, "expect">, observation: Observation): readonly Score[] {
  const { end, tools, approvals, recovery, limits } = expect;
  return [
    ...(end === undefined ? [] : [verdict("end", "end", observation.end === end, endReason(observation, end))]),
    ...(tools ? toolScores(tools, observation.calls) : []),
    ...decisionScores(expect, observation),
    ...(approvals ? approvalScores(approvals, observation.calls) : []),
    ...(recovery ? [recoveryScore(recovery, observation)] : []),
    ...(limits ? limitScores(limits, observation) : []),
  ];
}

function endReason({ end, code, answer }: Observation, wanted: string): string {
  if (end === wanted) return `The run ended as ${end}.`;
  return `The run ended as ${end}${code === undefined ? "" : ` (${code})`}, expected ${wanted}: ${answer.slice(0, 200)}`;
}
