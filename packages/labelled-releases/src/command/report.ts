import type { Comparison } from "../scoring/compare-rules.ts";
import type { Score } from "../scoring/score-releases.ts";
import type { Share } from "../scoring/share.ts";

/** Returns the comparison of one part as text for a terminal. */
export function reportOf({ split, before, summaries, withoutAdvisories, now, commonest }: Comparison): string {
  const each = (cell: (score: Score) => string) => [before, summaries, withoutAdvisories, now].map(cell);
  const rows: readonly (readonly string[])[] = [
    [`${split}, ${now.releases} releases`, "before", "summaries", "no advisories", "now"],
    ["severity inside the label", ...each(({ inside }) => percentOf(inside))],
    ["  95 % interval", ...each(({ inside: { interval } }) => `${interval.map((end) => (end * 100).toFixed(1)).join(" to ")} %`)],
    [`  always ${commonest.severity}`, ...each(() => percentOf(commonest.score.inside))],
    ["  better, in points", ...each((score) => pointsOf(score, commonest.score))],
    ["macro recall of low, medium and high", ...each(({ macroRecall }) => macroRecall?.toFixed(3) ?? "none")],
    ["precision of findings", ...each(({ precision }) => percentOf(precision))],
    ["recall of security fixes", ...each(({ securityRecall }) => percentOf(securityRecall))],
    ["recall of breaking changes and removed APIs", ...each(({ breakingRecall }) => percentOf(breakingRecall))],
    ["recall of all labelled findings", ...each(({ recall }) => percentOf(recall))],
    ["absent kinds that are reported", ...each(({ wronglyReported: { right, of } }) => `${right} of ${of}`)],
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `${row.map((cell, column) => cell[column === 0 ? "padEnd" : "padStart"](widths[column] ?? 0)).join("  ")}\n`)
    .join("");
}

function percentOf({ right, of, share }: Share): string {
  return share === null ? "none" : `${(share * 100).toFixed(1)} % (${right} of ${of})`;
}

function pointsOf({ inside }: Score, commonest: Score): string {
  const points = ((inside.share ?? 0) - (commonest.inside.share ?? 0)) * 100;
  return `${points > 0 ? "+" : ""}${points.toFixed(1)}`;
}
