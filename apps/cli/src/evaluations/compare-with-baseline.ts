import { counted } from "@toolbus/contracts";
import { changeInWords, compareToBaseline, notComparedInWords, type Regressions, regressionDocument, seededRandom } from "@toolbus/evals";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { baselineFor } from "./baseline-file.ts";
import type { BaselineOptions, CompareOptions } from "./baseline-options.ts";
import { resultIn, valueOf } from "./eval-file.ts";
import { SEED } from "./seed.ts";

/** Compares a result with a baseline, and exits with 2 for a regression if that was asked for. */
export async function compareWithBaseline(
  context: Context,
  typed: string,
  version: string | undefined,
  options: BaselineOptions & CompareOptions,
): Promise<ExitCode> {
  const { output } = context;
  const over = shareOf(options.over);
  const result = await resultIn(context, typed);
  const baseline = await baselineFor(context, result, options.folder, version);
  const found = valueOf(compareToBaseline(result, baseline, { over, random: seededRandom(SEED), variant: options.variant ?? null }));
  const gating = found.regressions.filter(({ advisory, uncertain }) => !advisory && !(uncertain && options.ignoreUncertain === true));
  if (output.json) output.document({ ok: gating.length === 0, suite: result.suite, over, ...regressionDocument(found) });
  else output.lines(linesOf(found).map(safeText));
  if (options.failOnRegression !== true) return EXIT.ok;
  if (gating.length > 0) return EXIT.condition;
  refuseToPass(found);
  return EXIT.ok;
}

/** Throws a Failure if the comparison shows nothing, because a gate must not open for a result that says nothing. */
function refuseToPass({ compared, notCompared, newVariants, baseline }: Regressions): void {
  const unscored = notCompared.filter(({ why }) => why === "error");
  if (unscored.length > 0) {
    const [first] = unscored;
    const how = `${counted(unscored.length, "scenario")} could not be scored, such as ${first?.scenario ?? ""}`;
    throw new Failure(EXIT.failed, safeText(`Nobody knows whether something got worse, because ${how}: run the suite again.`));
  }
  const [variant] = newVariants;
  if (variant !== undefined) {
    const why = `the baseline ${baseline} has no ${newVariants.length === 1 ? "variant" : "variants"} ${newVariants.join(", ")}`;
    const remedy = `compare one variant at a time, such as with --variant ${variant}, or save a baseline that has them all`;
    throw new Failure(EXIT.failed, safeText(`Nobody knows whether something got worse, because ${why}: ${remedy}.`));
  }
  if (compared === 0)
    throw new Failure(
      EXIT.failed,
      `No scenario of the baseline ${baseline} is unchanged in this result, so nothing was compared: save a new baseline.`,
    );
}

function linesOf(found: Regressions): readonly string[] {
  const { baseline, compared, regressions, improvements, notCompared, scoresNotCompared } = safeValue(found);
  return [
    `${counted(compared, "scenario")} compared with the baseline ${baseline}.`,
    ...part(counted(regressions.length, "regression"), regressions.map(changeInWords)),
    ...part(counted(improvements.length, "improvement"), improvements.map(changeInWords)),
    ...(notCompared.length === 0 ? [] : part("Not compared", notCompared.map(notComparedInWords))),
    ...(scoresNotCompared.length === 0 ? [] : part("Scores that only one side has", scoresNotCompared)),
  ];
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return [`${title}${lines.length === 0 ? "." : ":"}`, ...lines.map((line) => `  ${line}`)];
}

function shareOf(typed: string): number {
  const percent = Number(typed);
  if (/^\d+(\.\d+)?$/.test(typed) && percent <= 100) return percent / 100;
  throw new Failure(EXIT.usage, `--over needs a number of percent from 0 to 100, such as 5, not "${typed.slice(0, 40)}".`);
}
