import path from "node:path";
import { compareToBaseline, evaluationReport, htmlReport, markdownReport, reportDocument, seededRandom, WARNS_OVER } from "@toolbus/evals";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { baselineFor } from "./baseline-file.ts";
import type { BaselineOptions } from "./baseline-options.ts";
import { resultIn, valueOf } from "./eval-file.ts";
import { SEED } from "./seed.ts";
import { writeWhole } from "./whole-file.ts";

export interface ReportOptions extends BaselineOptions {
  readonly format?: "json" | "markdown" | "html";
  readonly out?: string;
  readonly baseline?: string;
}

/** Prints or writes the report of a result. */
export async function reportResult(context: Context, typed: string, options: ReportOptions): Promise<ExitCode> {
  const { around, output } = context;
  const { format = output.json ? "json" : "markdown", out, baseline: named, folder } = options;
  const result = await resultIn(context, typed);
  const random = seededRandom(SEED);
  const baseline = named === undefined ? null : await baselineFor(context, result, folder, named);
  const regressions = baseline === null ? null : valueOf(compareToBaseline(result, baseline, { over: WARNS_OVER, random }));
  const report = evaluationReport(result, regressions, random);
  if (format === "json" && out === undefined) {
    output.document(reportDocument(report));
    return EXIT.ok;
  }
  const text =
    format === "json"
      ? `${JSON.stringify(reportDocument(report), null, 2)}\n`
      : format === "html"
        ? htmlReport(report)
        : markdownReport(report);
  if (out === undefined) {
    if (output.json) output.document({ format, text });
    else output.lines([text.trimEnd()]);
    return EXIT.ok;
  }
  const file = path.resolve(around.cwd, out);
  if (file === path.resolve(around.cwd, typed))
    throw new Failure(EXIT.failed, `The report would replace its own result ${out}: choose another name.`);
  await writeWhole(file, text, { id: around.newId(), replace: true });
  if (output.json) output.document({ ok: true, format, out });
  else output.lines([safeText(`The report is in ${out}.`)]);
  return EXIT.ok;
}
