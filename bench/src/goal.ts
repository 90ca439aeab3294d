import type { Paired } from "./paired-slices.ts";
import { quantile, rounded } from "./row.ts";
import { type Column, tableWith } from "./table.ts";

/** A measured ratio with its target. docs/performance.md gives the source of each target. */
export interface Goal {
  readonly name: string;
  /** Our figure divided by theirs. If the work was measured in slices, this is the median of the slices' ratios. */
  readonly ratio: number;
  readonly target: number;
  /** Whether the ratio must be at least or at most the target. */
  readonly is: "at least" | "at most";
  readonly met: boolean;
  readonly ours: number;
  readonly theirs: number;
  /** The unit of the two figures. */
  readonly unit: string;
  /** The first and the third quartile of the ratio over the slices. */
  readonly quartiles?: readonly [number, number];
}

export type Target = Pick<Goal, "name" | "is" | "target">;

/**
 * Compares a ratio with its target. The ratio is that of the two figures, or the median of the slices' ratios if there are slices. All numbers are
 * rounded to three digits, because the measurement is not more precise.
 */
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

/** Returns a goal for the number of items per second. Each piece of work consists of `pieces` items. */
export function rateGoal(target: Target, { subject, bare, ratios }: Paired, pieces: number, unit: string): Goal {
  const rate = ({ latencies, wallMs }: Paired["subject"]): number => (latencies.length * pieces * 1000) / wallMs;
  return goal(target, { ours: rate(subject), theirs: rate(bare), unit, ratios: ratios.map((ratio) => 1 / ratio) });
}

/** Returns a goal for the time per item, in milliseconds. Each piece of work consists of `pieces` items, one after another. */
export function timeGoal(target: Target, { subject, bare, ratios }: Paired, pieces: number): Goal {
  const p50 = ({ latencies }: Paired["subject"]): number => quantile(latencies, 0.5) / pieces;
  return goal(target, { ours: p50(subject), theirs: p50(bare), unit: "ms", ratios });
}

/** Returns goals as text for a terminal. */
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
