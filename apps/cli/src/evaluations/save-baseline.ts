import path from "node:path";
import { baselineOf } from "@toolbus/evals";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { baselineFile } from "./baseline-file.ts";
import type { SaveOptions } from "./baseline-options.ts";
import { resultIn, valueOf } from "./eval-file.ts";
import { writeWhole } from "./whole-file.ts";

/** Saves a result as the baseline of a version. */
export async function saveBaseline(context: Context, typed: string, version: string, { folder, replace }: SaveOptions): Promise<ExitCode> {
  const { around, output } = context;
  const result = await resultIn(context, typed);
  const baseline = valueOf(baselineOf(result, version, new Date(around.now()).toISOString()));
  const file = baselineFile(folder, result.suite, version);
  const text = `${JSON.stringify(baseline, null, 1)}\n`;
  await writeWhole(path.resolve(around.cwd, file), text, { id: around.newId(), replace: replace === true });
  if (output.json) output.document({ ok: true, suite: result.suite, version, file });
  else output.lines([safeText(`The baseline ${version} of the suite ${result.suite} is in ${file}.`)]);
  return EXIT.ok;
}
