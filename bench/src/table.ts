import type { Row } from "./row.ts";

const COLUMNS: readonly { readonly head: string; cell(row: Row): string }[] = [
  { head: "", cell: ({ name }) => name },
  { head: "per second", cell: ({ perSecond }) => String(perSecond) },
  { head: "p50 ms", cell: ({ p50Ms }) => String(p50Ms) },
  { head: "p99 ms", cell: ({ p99Ms }) => String(p99Ms) },
  { head: "CPU ms each", cell: ({ cpuMsPer }) => String(cpuMsPer) },
  { head: "bare p50 ms", cell: ({ bareP50Ms }) => String(bareP50Ms) },
  { head: "times the bare work (quartiles)", cell: ({ ratio, quartiles: [low, high] }) => `${ratio} (${low} to ${high})` },
];

/** The rows as text for a terminal: names to the left, figures to the right. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [COLUMNS.map(({ head }) => head), ...rows.map((row) => COLUMNS.map(({ cell }) => cell(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => `${line.map((cell, column) => padded(cell, widths[column] ?? 0, column)).join("  ")}\n`).join("");
}

function padded(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
