import { SEVERITIES, type Severity } from "@toolbus/contracts";
import { fitsPattern } from "../matcher/matches.ts";
import type { Observation } from "../observation/observation.ts";
import type { Score } from "../result/trial.ts";
import type { Expectations } from "../scenario/scenario.ts";
import { groundedScore } from "./grounded.ts";
import { partial, verdict } from "./score.ts";

/** Scores the severity, the findings and the answer. */
export function decisionScores({ severity, findings, answer }: Expectations, observation: Observation): readonly Score[] {
  return [
    ...(severity ? [severityScore(severity, observation)] : []),
    ...(findings ? findingScores(findings, observation) : []),
    ...(answer ? answerScores(answer, observation.answer) : []),
  ];
}

/** A neighbouring class is half right, so that a report shows how far off a verdict is. It does not pass. */
function severityScore(wanted: readonly Severity[], { report }: Observation): Score {
  const given = report?.severity ?? null;
  if (given === null) return verdict("decision", "severity", false, "The run made no assessment.");
  const distance = Math.min(...wanted.map((one) => Math.abs(SEVERITIES.indexOf(one) - SEVERITIES.indexOf(given))));
  return partial("decision", "severity", Math.max(0, 1 - distance / 2), `The severity is ${given}, expected ${wanted.join(" or ")}.`);
}

function findingScores(
  { include = [], exclude = [], grounded }: NonNullable<Expectations["findings"]>,
  observation: Observation,
): readonly Score[] {
  const texts = findingsOf(observation);
  return [
    ...include.map((text) => {
      const found = texts.some((finding) => contains(finding, text));
      return verdict("decision", `findings.include ${text}`, found, found ? `A finding says "${text}".` : `No finding says "${text}".`);
    }),
    ...exclude.map((text) => {
      const found = texts.find((finding) => contains(finding, text));
      return verdict(
        "decision",
        `findings.exclude ${text}`,
        found === undefined,
        found === undefined ? `No finding says "${text}".` : `A finding says: ${found}`,
      );
    }),
    ...(grounded === undefined ? [] : [groundedScore(texts, observation)]),
  ];
}

/** Returns the findings of the report. Without a report, the lines of the answer are the findings. */
function findingsOf({ report, answer }: Observation): readonly string[] {
  return report && report.findings.length > 0 ? report.findings : answer.split("\n").filter((line) => line.trim() !== "");
}

function answerScores({ includes = [], excludes = [], matches }: NonNullable<Expectations["answer"]>, answer: string): readonly Score[] {
  return [
    ...includes.map((text) => {
      const found = contains(answer, text);
      return verdict(
        "decision",
        `answer.includes ${text}`,
        found,
        found ? `The answer says "${text}".` : `The answer does not say "${text}".`,
      );
    }),
    ...excludes.map((text) => {
      const found = contains(answer, text);
      return verdict(
        "decision",
        `answer.excludes ${text}`,
        !found,
        found ? `The answer says "${text}".` : `The answer does not say "${text}".`,
      );
    }),
    ...(matches === undefined
      ? []
      : [verdict("decision", "answer.matches", fitsPattern(matches, answer), `The answer was compared with ${matches}.`)]),
  ];
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
