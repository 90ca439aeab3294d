import type { Row } from "./row.ts";

/** A column of a table, with its head. `cell` returns its text for a row. */
export interface Column<R> {
  readonly head: string;
  cell(row: R): string;
}

const COLUMNS: readonly Column<Row>[] = [
  { head: "", cell: ({ name }) => name },
  { head: "per second", cell: ({ perSecond }) => String(perSecond) },
  { head: "p50 ms", cell: ({ p50Ms }) => String(p50Ms) },
  { head: "p99 ms", cell: ({ p99Ms }) => String(p99Ms) },
  { head: "CPU ms each", cell: ({ cpuMsPer }) => String(cpuMsPer) },
  { head: "bare p50 ms", cell: ({ bareP50Ms }) => String(bareP50Ms) },
  { head: "times the bare work (quartiles)", cell: ({ ratio, quartiles: [low, high] }) => `${ratio} (${low} to ${high})` },
];

/** Returns rows of paired slices as text for a terminal. */
export function tableOf(rows: readonly Row[]): string {
  return tableWith(COLUMNS, rows);
}

/** Returns any rows as text for a terminal, with names to the left and figures to the right. */
export function tableWith<R>(columns: readonly Column<R>[], rows: readonly R[]): string {
  const lines = [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ cell }) => cell(row)))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => `${line.map((cell, column) => padded(cell, widths[column] ?? 0, column)).join("  ")}\n`).join("");
}

function padded(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
