import { type RunEnd, whatWasWritten } from "@toolbus/contracts";
import type { Context } from "../toolbus/context.ts";
import type { ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";
import { followRun } from "./follow-run.ts";
import { reportLines } from "./report-lines.ts";
import { terminalWidth } from "../terminal/lines.ts";
import type { Paint } from "../terminal/output.ts";
import { CUT_OFF, exitCodeOf } from "./run-lines.ts";
import { type RunScreen, runScreen } from "./run-screen.ts";

/** Follows a run from its first event to its end. If the user leaves, the run continues. */
export async function watchCommand(context: Context, typed: string | undefined): Promise<ExitCode> {
  const runId = idOf("run", typed);
  const { output, around, colour, options, signal } = context;
  const gateway = await context.gateway();
  const screen = output.json ? jsonScreen(context) : runScreen({ progress: output.out, text: output.out, colour, quiet: options.quiet });
  const { end } = await followRun({
    gateway,
    runId,
    screen,
    signal,
    now: around.now,
    ...(output.json ? { onItem: (item) => output.record(item) } : {}),
  });
  if (!output.json) output.lines(endLines(context, end));
  return exitCodeOf(end);
}

/** Returns the last lines about a run: its report, and why it ended early. */
export function endLines({ output }: Pick<Context, "output">, end: RunEnd): string[] {
  const { paint } = output;
  return [...(end.report ? ["", ...reportLines(end.report, paint, terminalWidth(output.out))] : []), ...earlyEnd(end, paint)];
}

/** Returns why a run or its answer ended early, after the changes that it had made. */
export function earlyEnd(end: RunEnd, paint: Paint): string[] {
  if (end.type === "run.completed") return end.truncated ? [paint("yellow", CUT_OFF)] : [];
  const written = end.writes && whatWasWritten(end.writes);
  if (end.type === "run.failed") return [paint("red", `${written ? "" : "The run failed: "}${end.message} (${end.code})`)];
  return [...(written ? [paint("yellow", `${written}.`)] : []), paint("yellow", `The run was cancelled by ${end.by}.`)];
}

/** Returns a screen for --json. Standard output is for the records, so the screen shows only notes, such as a lost connection. */
export function jsonScreen({ output }: Pick<Context, "output">): RunScreen {
  return { item: () => undefined, line: output.note, tick: () => undefined, clear: () => undefined };
}
