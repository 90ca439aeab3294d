import { calibrationFile, judge, judgeScores, readCalibration, type Scorers, type Suite } from "@toolbus/evals";
import { readFile } from "node:fs/promises";
import type { Context } from "../toolbus/context.ts";
import { valueOf } from "./eval-file.ts";

/**
 * Returns the judge that a suite names, or null if it names none, has no questions, or if there is no model to ask. Says on standard error why the
 * questions are not answered.
 */
export async function suiteJudge(
  suite: Suite,
  { around, output }: Pick<Context, "around" | "output">,
): Promise<NonNullable<Scorers["judge"]> | null> {
  if (suite.scenarios.every(({ rubric }) => rubric.length === 0)) return null;
  if (suite.judge === null) {
    output.note('The questions of the rubrics are not answered, because the suite has no "judge".');
    return null;
  }
  const { votes, labels, provider = null, model: name = null } = suite.judge;
  const { chosenModel } = await import("@toolbus/all-in-one");
  const chosen = await chosenModel(around.env, { provider, name });
  if ("missing" in chosen) {
    output.note(`The questions of the rubrics are not answered: ${chosen.missing}.`);
    return null;
  }
  const score = judgeScores(judge({ provider: chosen.model, votes }), labels === undefined ? null : await calibrationOf(labels));
  return ({ rubric }, observation, signal) => score(rubric, observation, signal);
}

/** A suite whose judge was never measured has no calibration, and its judge may not gate. */
async function calibrationOf(labels: string) {
  const file = calibrationFile(labels);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : valueOf(readCalibration(text, file));
}
