import { comparisonDocument, comparisonInWords, compareVariants, seededRandom, type SuiteResult, variantsOf } from "@toolbus/evals";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { resultIn } from "./eval-file.ts";
import { SEED } from "./seed.ts";

/** Compares two results of the same suite, each by its first variant or by the variant that both have. */
export async function compareResults(context: Context, first: string, second: string): Promise<ExitCode> {
  const { output } = context;
  const [before, after] = [await resultIn(context, first), await resultIn(context, second)];
  if (before.suite !== after.suite)
    throw new Failure(
      EXIT.failed,
      `${first} is of the suite ${before.suite}, and ${second} is of the suite ${after.suite}: compare results of one suite.`,
    );
  const compared = compareVariants(sideOf(before), sideOf(after), seededRandom(SEED));
  const named = { ...compared, first, second };
  if (output.json) output.document({ suite: before.suite, ...comparisonDocument(named) });
  else output.lines(comparisonInWords(named).map(safeText));
  if (compared.pairs === 0)
    throw new Failure(EXIT.failed, `${first} and ${second} have no unchanged scenario in common: run both with the same suite.`);
  return EXIT.ok;
}

function sideOf(result: SuiteResult): { readonly result: SuiteResult; readonly variant: string } {
  return { result, variant: variantsOf(result)[0] ?? "default" };
}
