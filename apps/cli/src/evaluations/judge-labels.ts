import path from "node:path";
import { type Calibration, calibrate, calibrationFile, gateOf, judge, type Judge, readLabels } from "@toolbus/evals";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { evalText, valueOf } from "./eval-file.ts";
import { writeWhole } from "./whole-file.ts";

export interface JudgeOptions {
  readonly provider?: string;
  readonly model?: string;
  readonly votes: string;
  readonly save?: true;
}

/** Measures a judge against labels and prints its agreement. Without a model to ask, it says so and measures nothing. */
export async function judgeLabels(context: Context, typed: string, options: JudgeOptions): Promise<ExitCode> {
  const { around, output, signal } = context;
  const labels = valueOf(readLabels(await evalText(context, typed, "The file of labels"), typed));
  const { chosenModel } = await import("@toolbus/all-in-one");
  const chosen = await chosenModel(around.env, { provider: options.provider ?? null, name: options.model ?? null });
  if ("missing" in chosen) {
    if (output.json) output.document({ measured: false, gates: false, why: chosen.missing, examples: labels.examples.length });
    else output.lines([safeText(`Not measured: ${chosen.missing}. This judge may not gate.`)]);
    return EXIT.ok;
  }
  const asked = judgeOf(chosen.model, options.votes);
  const at = new Date(around.now()).toISOString();
  const onAnswer = (done: number): void => {
    if (done % 10 === 0) output.note(`${done} of ${labels.examples.length} examples are judged.`);
  };
  const measured = await calibrate(asked, labels, { signal, at, onAnswer });
  signal.throwIfAborted();
  const calibration = valueOf(measured);
  const file = calibrationFile(typed);
  if (options.save === true)
    await writeWhole(path.resolve(around.cwd, file), `${JSON.stringify(calibration, null, 2)}\n`, { id: around.newId(), replace: true });
  const gate = gateOf(asked.identity, calibration);
  if (output.json) output.document({ measured: true, ...gate, ...calibration, ...(options.save === true ? { file } : {}) });
  else output.lines(linesOf(calibration, gate).map(safeText));
  return EXIT.ok;
}

function judgeOf(provider: Parameters<typeof judge>[0]["provider"], typed: string): Judge {
  try {
    return judge({ provider, votes: Number(typed) });
  } catch (error) {
    if (error instanceof RangeError)
      throw new Failure(EXIT.usage, `--votes needs an odd number from 1 to 15, such as 3, not "${typed.slice(0, 40)}".`);
    throw error;
  }
}

function linesOf(calibration: Calibration, gate: ReturnType<typeof gateOf>): readonly string[] {
  const { judge: who, examples, undecided, agreement, kappa, standardError, interval, votesKappa, criteria } = calibration;
  const reach = interval === null ? "interval unknown" : `95 % interval ${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}`;
  return [
    `Judge ${who.model} of ${who.provider}, with ${who.votes} votes, on ${examples} labelled examples.`,
    `Agreement ${(agreement * 100).toFixed(1)} %, kappa ${kappa.toFixed(3)} (standard error ${standardError.toFixed(3)}, ${reach}).`,
    ...(undecided === 0 ? [] : [`No verdict on ${undecided} of them, which count as disagreements.`]),
    ...(votesKappa === null ? [] : [`The votes agree among themselves with a kappa of ${votesKappa.toFixed(3)}.`]),
    ...criteria.map(({ criterion, agreed, examples: of }) => `  ${criterion}: ${agreed} of ${of} agree`),
    gate.gates ? "This judge may gate." : `This judge may not gate, because ${gate.why}.`,
  ];
}
