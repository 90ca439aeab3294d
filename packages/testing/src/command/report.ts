import { type Coverage } from "../progress/coverage.ts";
import { CRASH_ROWS, FAULT_ROWS, ROWS_ELSEWHERE } from "../progress/crash-rows.ts";
import { WORK, WORKS } from "../progress/tally.ts";
import type { MutantResult, Totals } from "./simulate.ts";

/** How many violations are shown in full. */
const SHOWN = 20;

/** Returns the figures of many seeds, or of many kills, as a table, followed by the violations. */
export function totalsText(what: "seeds" | "kills", { worlds, found, faults, perCoreSecond, tally, missed }: Totals): string {
  const table = rows([
    [what, String(worlds)],
    ["violations", String(found.length)],
    ["faults injected", `${faults} (${worlds === 0 ? 0 : Math.round((faults / worlds) * 10) / 10} each)`],
    ["per second and core", String(perCoreSecond)],
    ...WORKS.map((name): readonly string[] => [
      WORK[name],
      `${tally.work[name]} (${Math.round((100 * tally.work[name]) / Math.max(1, worlds)) / 100} each)`,
    ]),
    ...Object.entries(tally.ends)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([end, count]): readonly string[] => [`runs that ended ${end}`, String(count)]),
  ]);
  const reported = found.slice(0, SHOWN).map(({ where, violations }) => `${where}: ${violations[0]}\n`);
  const more = found.length > SHOWN ? `and ${found.length - SHOWN} more\n` : "";
  const hint = found.length > 0 && what === "seeds" ? "See a history with npm run simulate -- --seed N.\n" : "";
  return `${table}${missed.map((floor) => `${floor}\n`).join("")}${reported.join("")}${more}${hint}`;
}

/** Returns a table with the number of commits of each transition, its changes of a status, and how often each row of the crash table was reached. */
export function coverageText({ transitions, changes, crashes }: Coverage): string {
  const reached = rows([["transition", "commits"], ...counts(transitions)]);
  const kills = rows([
    ["row", "reached", "crash table"],
    ...[...CRASH_ROWS, ...FAULT_ROWS].map(({ row, says }) => [row, String(crashes[row] ?? 0), says]),
    ...ROWS_ELSEWHERE.map(([row, where]) => [row, "-", where]),
  ]);
  const changed = rows([["change", "documents"], ...counts(changes)]);
  return `\n${reached}\n${changed}\n${kills}`;
}

function counts(reached: Coverage["changes"]): readonly (readonly string[])[] {
  return Object.entries(reached)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, count]) => [name, String(count)]);
}

export function totalsJson(what: "seeds" | "kills", { worlds, found, faults, perCoreSecond, tally, missed }: Totals): object {
  return {
    [what]: worlds,
    violations: found.length,
    faults,
    perCoreSecond,
    work: tally.work,
    ends: tally.ends,
    ...(missed.length === 0 ? {} : { missed }),
    ...(found.length === 0 ? {} : { found: found.slice(0, SHOWN) }),
  };
}

export function mutantsText(results: readonly MutantResult[]): string {
  const table = rows(
    results.map(({ name, breaks, caught }) => [name, caught ? `caught after ${caught.seeds} seeds` : "NOT CAUGHT", caught?.by ?? breaks]),
  );
  return `${table}${results.filter(({ caught }) => caught).length} of ${results.length} mutants caught.\n`;
}

export function mutantsJson(results: readonly MutantResult[]): object {
  const missed = results.filter(({ caught }) => !caught).map(({ name }) => name);
  return { mutants: results.length, caught: results.length - missed.length, ...(missed.length === 0 ? {} : { missed }) };
}

function rows(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
