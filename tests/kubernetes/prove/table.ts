import type { LoadReport } from "./steady-load.ts";

/** One line of the table that the proofs print. */
export interface Row extends LoadReport {
  readonly proof: string;
  /** What was done to the cluster meanwhile. */
  readonly done: string;
}

/** Returns the table as Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const head = [
    "Proof",
    "Done meanwhile",
    "Runs",
    "Completed",
    "Otherwise",
    "Repeated attempts",
    "Effects",
    "Broken streams",
    "Runs/s",
    "p50",
    "p99",
    "longest",
  ];
  const lines = rows.map((row) => [
    row.proof,
    row.done,
    row.runs,
    row.completed,
    [...timesOf(row.otherwise), ...row.undecided].join("; ") || "0",
    timesOf(row.repeated).join("; ") || "0",
    row.effects,
    row.brokenStreams,
    row.runsPerSecond,
    `${row.p50Ms} ms`,
    `${row.p99Ms} ms`,
    `${row.longestMs} ms`,
  ]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function timesOf(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts).map(([what, count]) => `${count} × ${what}`);
}
