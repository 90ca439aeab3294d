import path from "node:path";
import { LOOP_TOOL_NAMES } from "@toolbus/all-in-one";
import {
  type Journal,
  journalHead,
  openJournal,
  OtherModel,
  readSuite,
  RESULT_FORMAT,
  runSuite,
  scoresOf,
  selectScenarios,
  type ScenarioHost,
  type Suite,
  type SuiteResult,
  type Variant,
} from "@toolbus/evals";
import { readTools } from "../http/answers.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { embeddedHost } from "./embedded-host.ts";
import { valueOf } from "./eval-file.ts";
import { keptRuns } from "./kept-runs.ts";
import { toolsOfThisBuild } from "./known-tools.ts";
import { liveHost } from "./live-host.ts";
import { ownFolder } from "./own-folder.ts";
import { progressScreen } from "./progress-screen.ts";
import { readVariants } from "./read-variant.ts";
import { resultLines } from "./result-lines.ts";
import { suiteJudge } from "./suite-judge.ts";
import { writeWhole } from "./whole-file.ts";

export interface EvalRunOptions {
  readonly variant?: readonly string[];
  readonly only?: readonly string[];
  readonly repeats?: number;
  readonly parallel: number;
  readonly out?: string;
  readonly fresh?: boolean;
  readonly live?: boolean;
}

/** How often the time that is left is counted down while no trial ends. */
const TICK_MS = 1000;

/** Runs the scenarios of a suite, writes the result and returns the exit code. */
export async function runEvaluation(context: Context, place: string, options: EvalRunOptions): Promise<ExitCode> {
  const { around, output, signal } = context;
  const { variant = [], only = [], parallel, fresh = false, live = false } = options;
  if (live && variant.length > 0)
    throw new Failure(EXIT.usage, "A running system cannot be changed for a --variant: leave out --live, or the variants.");
  const known = await knownTools(context, live);
  const whole = valueOf(await readSuite(path.resolve(around.cwd, place), known));
  const suite = valueOf(selectScenarios(whole, only));
  const tools = new Set([...known, ...suite.tools.flatMap(({ name }) => (typeof name === "string" ? [name] : []))]);
  const variants = await readVariants(
    variant.map((file) => path.resolve(around.cwd, file)),
    tools,
  );
  const repeats = options.repeats ?? suite.repeats;
  const folder =
    options.out === undefined ? path.join(context.options.dataDirectory, "evals", suite.name) : path.resolve(around.cwd, options.out);
  using _own = await ownFolder(folder);
  const head = journalHead(suite, { variants, repeats, startedAt: new Date(around.now()).toISOString() });
  const journal = await journalIn(folder, head, fresh);
  const kept = await keptRuns(path.join(folder, "failed"), journal, around.newId);
  const screen = progressScreen({
    sink: output.err,
    quiet: context.options.quiet,
    erases: around.env["TERM"] !== "dumb",
    parallel,
    now: around.now,
  });
  const ticking = setInterval(screen.tick, TICK_MS);
  let result: SuiteResult;
  try {
    const finished = journal.trials.filter(({ status }) => status !== "error").length;
    if (finished > 0) output.note(`${finished} finished trials of an earlier start are kept; --fresh runs them again.`);
    const judge = await suiteJudge(suite, context);
    const ran = await runSuite({
      suite,
      variants,
      hostOf: async (one) => kept.watched(await hostOf(context, suite, one, live)),
      journal: kept.keptIn(journal),
      parallel,
      repeats,
      score: scoresOf,
      ...(judge === null ? {} : { judge }),
      signal,
      now: around.now,
      onProgress: screen.update,
    });
    result = { format: RESULT_FORMAT, ...ran };
  } catch (error) {
    await journal.close();
    throw error instanceof OtherModel ? new Failure(EXIT.failed, error.message) : error;
  } finally {
    clearInterval(ticking);
    screen.end();
  }
  const file = path.join(folder, "result.json");
  await writeWhole(file, `${JSON.stringify(result, null, 2)}\n`, { id: around.newId(), replace: true });
  await endJournal(journal, result);
  if (output.json) output.document(result);
  else output.lines(resultLines(result, { file, failed: (await kept.any()) ? kept.folder : null }));
  return exitCodeOf(result);
}

/** Returns the names of the tools that need no definition in a suite: those of this build, or those of the running system. */
async function knownTools(context: Context, live: boolean): Promise<ReadonlySet<string>> {
  if (!live) return toolsOfThisBuild();
  const { tools } = readTools(await (await context.gateway()).get("/v1/tools"));
  return new Set([...LOOP_TOOL_NAMES, ...tools.map(({ name }) => name)]);
}

async function journalIn(folder: string, head: Parameters<typeof openJournal>[1], fresh: boolean): Promise<Journal> {
  const opened = await openJournal(path.join(folder, "journal.jsonl"), head, fresh).catch((error: NodeJS.ErrnoException) => {
    const why = error.code ?? "unknown";
    throw new Failure(EXIT.failed, `The folder ${folder} cannot be used (${why}): name another one with --out.`, { cause: error });
  });
  return valueOf(opened);
}

async function hostOf(context: Context, suite: Suite, variant: Variant, live: boolean): Promise<ScenarioHost> {
  const { around, signal } = context;
  if (live) return liveHost(await context.gateway(), around.newId);
  return embeddedHost({ suite, variant, env: around.env, newId: around.newId, signal });
}

/** A complete evaluation needs no journal. The journal of one with errors stays, so that the next start runs only those trials again. */
async function endJournal(journal: Journal, { trials }: SuiteResult): Promise<void> {
  if (trials.some(({ status }) => status === "error")) await journal.close();
  else await journal.remove();
}

function exitCodeOf({ trials }: SuiteResult): ExitCode {
  if (trials.some(({ status }) => status === "error")) return EXIT.failed;
  return trials.some(({ status }) => status === "failed") ? EXIT.condition : EXIT.ok;
}
