import type { Paired } from "./paired-slices.ts";
import { quantile, rounded } from "./row.ts";
import { type Column, tableWith } from "./table.ts";

/** A target ratio; docs/performance.md says where each comes from. */
export interface Goal {
  readonly name: string;
  /** Ours over theirs: the median over the slices if it was measured in slices. */
  readonly ratio: number;
  readonly target: number;
  /** Whether more is better ("at least") or less ("at most"). */
  readonly is: "at least" | "at most";
  readonly met: boolean;
  readonly ours: number;
  readonly theirs: number;
  /** What the two figures measure. */
  readonly unit: string;
  /** The first and the third quartile of the ratio over the slices. */
  readonly quartiles?: readonly [number, number];
}

export type Target = Pick<Goal, "name" | "is" | "target">;

/** Judges two figures, and the ratios of the slices, if there are any. Everything keeps three digits: more would pretend precision. */
export function goal(
  { name, is, target }: Target,
  { ours, theirs, unit, ratios }: Pick<Goal, "ours" | "theirs" | "unit"> & { readonly ratios?: readonly number[] },
): Goal {
  const sorted = ratios?.toSorted((a, b) => a - b);
  const ratio = rounded(sorted ? quantile(sorted, 0.5) : ours / theirs);
  return {
    name,
    ratio,
    target,
    is,
    met: is === "at least" ? ratio >= target : ratio <= target,
    ours: rounded(ours),
    theirs: rounded(theirs),
    unit,
    ...(sorted ? { quartiles: [rounded(quantile(sorted, 0.25)), rounded(quantile(sorted, 0.75))] } : {}),
  };
}

/** How many per second, if each piece of work has this many. */
export function rateGoal(target: Target, { subject, bare, ratios }: Paired, pieces: number, unit: string): Goal {
  const rate = ({ latencies, wallMs }: Paired["subject"]): number => (latencies.length * pieces * 1000) / wallMs;
  return goal(target, { ours: rate(subject), theirs: rate(bare), unit, ratios: ratios.map((ratio) => 1 / ratio) });
}

/** How many milliseconds each takes, if each piece of work has this many in a row. */
export function timeGoal(target: Target, { subject, bare, ratios }: Paired, pieces: number): Goal {
  const p50 = ({ latencies }: Paired["subject"]): number => quantile(latencies, 0.5) / pieces;
  return goal(target, { ours: p50(subject), theirs: p50(bare), unit: "ms", ratios });
}

/** Goals as text for a terminal. */
export function tableOfGoals(goals: readonly Goal[]): string {
  return tableWith(COLUMNS, goals);
}

const COLUMNS: readonly Column<Goal>[] = [
  { head: "", cell: ({ name }) => name },
  { head: "Toolbus", cell: ({ ours }) => String(ours) },
  { head: "against", cell: ({ theirs, unit }) => `${theirs} ${unit}` },
  { head: "ratio (quartiles)", cell: ({ ratio, quartiles }) => `${ratio}${quartiles ? ` (${quartiles[0]} to ${quartiles[1]})` : ""}` },
  { head: "target", cell: ({ is, target }) => `${is} ${target}` },
  { head: "", cell: ({ met }) => (met ? "met" : "missed") },
];
