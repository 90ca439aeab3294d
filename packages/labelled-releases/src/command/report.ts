import type { Comparison } from "../scoring/compare-rules.ts";
import type { Score } from "../scoring/score-releases.ts";
import type { Share } from "../scoring/share.ts";

/** Returns the comparison of one part as text for a terminal. */
export function reportOf({ split, before, now, commonest }: Comparison): string {
  const rows: readonly (readonly string[])[] = [
    [`${split}, ${now.releases} releases`, "before", "now"],
    ["severity inside the label", ...both(before, now, ({ inside }) => percentOf(inside))],
    [
      "  95 % interval",
      ...both(before, now, ({ inside: { interval } }) => `${interval.map((end) => (end * 100).toFixed(1)).join(" to ")} %`),
    ],
    [`  always ${commonest.severity}`, ...both(before, now, () => percentOf(commonest.score.inside))],
    ["  better, in points", ...both(before, now, (score) => pointsOf(score, commonest.score))],
    ["macro recall of low, medium and high", ...both(before, now, ({ macroRecall }) => macroRecall?.toFixed(3) ?? "none")],
    ["precision of findings", ...both(before, now, ({ precision }) => percentOf(precision))],
    ["recall of security fixes", ...both(before, now, ({ securityRecall }) => percentOf(securityRecall))],
    ["recall of breaking changes and removed APIs", ...both(before, now, ({ breakingRecall }) => percentOf(breakingRecall))],
    ["recall of all labelled findings", ...both(before, now, ({ recall }) => percentOf(recall))],
    ["absent kinds that are reported", ...both(before, now, ({ wronglyReported: { right, of } }) => `${right} of ${of}`)],
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `${row.map((cell, column) => cell[column === 0 ? "padEnd" : "padStart"](widths[column] ?? 0)).join("  ")}\n`)
    .join("");
}

function both(before: Score, now: Score, cell: (score: Score) => string): readonly [string, string] {
  return [cell(before), cell(now)];
}

function percentOf({ right, of, share }: Share): string {
  return share === null ? "none" : `${(share * 100).toFixed(1)} % (${right} of ${of})`;
}

function pointsOf({ inside }: Score, commonest: Score): string {
  const points = ((inside.share ?? 0) - (commonest.inside.share ?? 0)) * 100;
  return `${points > 0 ? "+" : ""}${points.toFixed(1)}`;
}
