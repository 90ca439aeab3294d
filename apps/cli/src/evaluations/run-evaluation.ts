import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { LOOP_TOOL_NAMES, SHIPPED_TOOLSETS, shippedTools } from "@toolbus/all-in-one";
import {
  type Checked,
  type Journal,
  journalHead,
  openJournal,
  OtherModel,
  readSuite,
  runSuite,
  scoresOf,
  selectScenarios,
  type ScenarioHost,
  type Suite,
  type SuiteResult,
  type Variant,
} from "@toolbus/evals";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { embeddedHost } from "./embedded-host.ts";
import { liveHost } from "./live-host.ts";
import { progressScreen } from "./progress-screen.ts";
import { readVariants } from "./read-variant.ts";
import { resultLines } from "./result-lines.ts";

export interface EvalRunOptions {
  readonly variant?: readonly string[];
  readonly only?: readonly string[];
  readonly repeats?: number;
  readonly parallel: number;
  readonly out?: string;
  readonly fresh?: boolean;
  readonly live?: boolean;
}

/** Runs the scenarios of a suite, writes the result and returns the exit code. */
export async function runEvaluation(context: Context, place: string, options: EvalRunOptions): Promise<ExitCode> {
  const { around, output, signal } = context;
  const { variant = [], only = [], parallel, fresh = false, live = false } = options;
  if (live && variant.length > 0)
    throw new Failure(EXIT.usage, "A running system cannot be changed for a --variant: leave out --live, or the variants.");
  const whole = valueOf(await readSuite(path.resolve(around.cwd, place), knownTools()));
  const suite = valueOf(selectScenarios(whole, only));
  const tools = new Set([...knownTools(), ...suite.tools.flatMap(({ name }) => (typeof name === "string" ? [name] : []))]);
  const variants = await readVariants(
    variant.map((file) => path.resolve(around.cwd, file)),
    tools,
  );
  const repeats = options.repeats ?? suite.repeats;
  const folder =
    options.out === undefined ? path.join(context.options.dataDirectory, "evals", suite.name) : path.resolve(around.cwd, options.out);
  const head = journalHead(suite, { variants, repeats, startedAt: new Date(around.now()).toISOString() });
  const journal = valueOf(await openJournal(path.join(folder, "journal.jsonl"), head, fresh));
  const screen = progressScreen({ sink: output.err, quiet: context.options.quiet, now: around.now });
  let result: SuiteResult;
  try {
    const known = journal.trials.filter(({ status }) => status !== "error").length;
    if (known > 0) output.note(`${known} finished trials of an earlier start are kept; --fresh runs them again.`);
    result = await runSuite({
      suite,
      variants,
      hostOf: (one) => hostOf(context, suite, one, live),
      journal,
      parallel,
      repeats,
      score: scoresOf,
      signal,
      now: around.now,
      onProgress: screen.update,
    });
  } catch (error) {
    await journal.close();
    throw error instanceof OtherModel ? new Failure(EXIT.failed, error.message) : error;
  } finally {
    screen.end();
  }
  const file = path.join(folder, "result.json");
  await writeWhole(file, `${JSON.stringify(result, null, 2)}\n`);
  await endJournal(journal, result);
  if (output.json) output.document(result);
  else output.lines(resultLines(result, file));
  return exitCodeOf(result);
}

/** The names of the tools that need no definition in a suite. */
function knownTools(): ReadonlySet<string> {
  return new Set([...LOOP_TOOL_NAMES, ...SHIPPED_TOOLSETS.flatMap((name) => (shippedTools(name) ?? []).map((tool) => tool.name))]);
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

/** Writes the file in one step, because another program may read it. */
async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.draft`, text);
  await rename(`${file}.draft`, file);
}

function exitCodeOf({ trials }: SuiteResult): ExitCode {
  if (trials.some(({ status }) => status === "error")) return EXIT.failed;
  return trials.some(({ status }) => status === "failed") ? EXIT.condition : EXIT.ok;
}

function valueOf<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Failure(EXIT.failed, checked.problem);
  return checked.value;
}
