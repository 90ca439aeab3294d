import { type ComparedRuns, compareVariant, type Difference, type Replayed, replayRecord } from "@toolbus/all-in-one/replay";
import { counted, type RunRecord } from "@toolbus/contracts";
import { safeText } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { readRecord } from "./read-record.ts";
import { readVariant, type VariantOptions, withoutRefusal } from "./read-variant.ts";

export interface ReplayOptions extends VariantOptions {
  readonly file?: string;
}

/** Plays a run again from its log, and says whether it is the same. With another profile, prompt, registry or model, says where it diverges. */
export async function replayRun(context: Context, typed: string | undefined, options: ReplayOptions): Promise<ExitCode> {
  const record = await readRecord(context, typed, options.file);
  const variant = await readVariant(context, options);
  if (!variant) return showReplayed(context, record, await withoutRefusal(() => replayRecord(record)));
  if (variant.model) context.output.note(`The model ${options.model} is asked. Nothing else is asked, and no tool is called.`);
  return showCompared(context, record, await withoutRefusal(() => compareVariant(record, variant, context.signal)));
}

function showReplayed({ output }: Context, { run, leftOut }: RunRecord, replayed: Replayed): ExitCode {
  const { difference, events, entries, derived, taken } = replayed;
  if (output.json) {
    output.document({ runId: run.runId, equal: difference === null, events, entries, results: { derived, taken }, difference, leftOut });
  } else if (difference) output.lines(differenceLines(difference));
  else
    output.lines([
      `The replay of ${run.runId} is byte-equal: ${counted(events, "event")}, and ${entries} ${entries === 1 ? "entry" : "entries"} of its transcript.`,
    ]);
  return difference ? EXIT.condition : EXIT.ok;
}

function differenceLines({ where, number, member, expected, got }: Difference): string[] {
  const what = where === "event" ? `event ${number}` : `entry ${number} of its transcript`;
  return [
    `The replay differs from the log at ${what}${member === "" ? "" : `, in ${safeText(member)}`}.`,
    `  log     ${shortText(expected)}`,
    `  replay  ${shortText(got)}`,
  ];
}

function shortText(value: Difference["got"]): string {
  if (value === null) return "nothing";
  const text = safeText(JSON.stringify(value));
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}

const MOST_CHARS = 1000;

function showCompared({ output }: Context, { run, leftOut }: RunRecord, { turns, end }: ComparedRuns): ExitCode {
  const equal = end.length === 0 && turns.every(({ differs }) => differs.length === 0);
  if (output.json) {
    output.document({
      runId: run.runId,
      equal,
      turns: turns.map((turn) => ({ ...turn, equal: turn.differs.length === 0 })),
      end,
      leftOut,
    });
  } else {
    const rows = turns.flatMap(({ round, differs, notRecorded }) => {
      const said = [...differs, ...notRecorded.map((tool) => `The call of ${tool} was not recorded.`)];
      const first = [String(round), differs.length === 0 ? "equal" : "differs"];
      return said.length === 0 ? [[...first, ""]] : said.map((line, n) => [...(n === 0 ? first : ["", ""]), safeText(line)]);
    });
    output.lines([
      ...table(["TURN", "", "WHAT DIFFERS"], [...rows, ["end", end.length === 0 ? "equal" : "differs", safeText(end.join(" "))]]),
    ]);
  }
  return equal ? EXIT.ok : EXIT.condition;
}
