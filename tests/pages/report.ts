import type { Tried } from "./try-pages.ts";

/** The report about the commands of all tried pages, in a form for JSON. */
export interface TryReport {
  readonly ok: boolean;
  readonly commands: readonly Tried[];
  readonly counts: { readonly ok: number; readonly failed: number; readonly notRun: number };
  /** The number of commands that are not run for each reason, the most frequent reason first. */
  readonly notRun: readonly { readonly why: string; readonly commands: number }[];
}

export function reportOf(commands: readonly Tried[]): TryReport {
  const count = (outcome: Tried["outcome"]): number => commands.filter((one) => one.outcome === outcome).length;
  const reasons = Map.groupBy(
    commands.filter(({ outcome }) => outcome === "not run"),
    ({ why = "" }) => why,
  );
  const counts = { ok: count("ok"), failed: count("failed"), notRun: count("not run") };
  return {
    // If no command was run, the report proves nothing, so it is not ok.
    ok: counts.failed === 0 && counts.ok > 0,
    commands,
    counts,
    notRun: [...reasons].map(([why, of]) => ({ why, commands: of.length })).toSorted((a, b) => b.commands - a.commands),
  };
}

/** Returns a command on one line. For a failed command, also returns the expected and the shown output. */
export function linesOf({ page, line, command, outcome, seconds, why, expected = "", shown = "" }: Tried): readonly string[] {
  const first = `${outcome.padEnd(8)}${`${page}:${line}`.padEnd(26)} ${withoutComment(command)}`;
  switch (outcome) {
    case "ok":
      return [`${first}  ${seconds.toFixed(1)} s`];
    case "not run":
      return [`${first}  (${why})`];
    case "failed":
      return [`${first}  ${seconds.toFixed(1)} s`, "  expected", ...indented(expected), "  shown", ...indented(shown)];
  }
}

export function summaryOf({ counts, notRun, commands }: TryReport): readonly string[] {
  const seconds = commands.reduce((sum, one) => sum + one.seconds, 0);
  return [
    ...(notRun.length === 0 ? [] : ["", "Not run, each with the reason on its page:"]),
    ...notRun.map(({ why, commands: number }) => `${String(number).padStart(4)}  ${why}`),
    "",
    `${counts.ok} ok, ${counts.failed} failed, ${counts.notRun} not run, ${seconds.toFixed(0)} s`,
  ];
}

function withoutComment(command: string): string {
  return command.replaceAll(/\\\n\s*/g, "").replace(/\s+# .*$/, "");
}

function indented(text: string): readonly string[] {
  return text
    .trimEnd()
    .split("\n")
    .slice(-LAST_LINES)
    .map((line) => `    ${line}`);
}

/** The number of output lines to show. The end of a program's output usually shows the cause. */
const LAST_LINES = 40;
