import { readdir } from "node:fs/promises";
import path from "node:path";
import { type Baseline, readBaseline, type SuiteResult } from "@toolbus/evals";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { evalText, valueOf } from "./eval-file.ts";

/** Returns the file of a baseline. Each suite has its own folder, and each version its own file. */
export function baselineFile(folder: string, suite: string, version: string): string {
  return path.join(folder, suite, `${version}.json`);
}

/**
 * Returns the baseline that the user named by its version or its file, or else the baseline of the suite that was saved last. Throws a Failure if
 * there is none.
 */
export async function baselineFor(
  context: Pick<Context, "around">,
  { suite }: Pick<SuiteResult, "suite">,
  folder: string,
  named: string | undefined,
): Promise<Baseline> {
  if (named !== undefined) {
    const file = /[/\\]|\.json$/.test(named) ? named : baselineFile(folder, suite, named);
    return valueOf(readBaseline(await evalText(context, file, "The baseline"), file));
  }
  const inFolder = path.join(folder, suite);
  const names = await readdir(path.resolve(context.around.cwd, inFolder)).catch(() => []);
  const files = names.filter((name) => name.endsWith(".json")).map((name) => path.join(inFolder, name));
  const baselines = await Promise.all(
    files.map(async (file) => valueOf(readBaseline(await evalText(context, file, "The baseline"), file))),
  );
  const [latest] = baselines.toSorted((one, other) => other.savedAt.localeCompare(one.savedAt));
  if (latest !== undefined) return latest;
  throw new Failure(
    EXIT.failed,
    `The suite ${suite} has no baseline in ${folder}: save one with "toolbus eval baseline save", or name a folder with --folder.`,
  );
}
