import { DIMENSIONS } from "../result/trial.ts";
import { dollars, percent, percentRange } from "./in-words.ts";
import type { Figure, Summary } from "./summary.ts";

/** One figure, with one cell for each variant. */
export interface SummaryRow {
  readonly name: string;
  readonly cells: readonly string[];
}

/** Returns the figures of a summary in words, for the tables of every format. */
export function summaryRows(summaries: readonly Summary[]): readonly SummaryRow[] {
  const row = (name: string, cell: (summary: Summary) => string): SummaryRow => ({ name, cells: summaries.map(cell) });
  const dimensions = DIMENSIONS.filter((dimension) => summaries.some(({ avgScores }) => avgScores[dimension] !== undefined));
  return [
    row("Pass rate", ({ passRate }) => figureInWords(passRate)),
    row("Scenarios", ({ totalScenarios, byStatus: { passed, failed, flaky, error } }) =>
      [`${totalScenarios}`, `${passed} passed`, `${failed} failed`, `${flaky} flaky`, `${error} not scored`].join(", "),
    ),
    row("Trials", ({ trials, errors }) => `${trials}, ${errors} not scored`),
    ...dimensions.map((dimension) => row(`Score ${dimension}`, ({ avgScores }) => figureInWords(avgScores[dimension] ?? null))),
    row("Cost", ({ spent }) => dollars(spent.costMicroUsd)),
    row("Cost per successful task", ({ spent }) => dollars(spent.costPerSuccessMicroUsd)),
    row("Tokens in and out", ({ spent }) => `${spent.inputTokens} and ${spent.outputTokens}`),
    row("Rounds per trial", ({ spent }) => decimal(spent.rounds)),
    row("Tool calls per trial", ({ spent }) => decimal(spent.toolCalls)),
    row("Seconds per trial", ({ spent }) => decimal(spent.elapsedMs === null ? null : spent.elapsedMs / 1000)),
  ];
}

function figureInWords(figure: Figure | null): string {
  return figure === null ? "none" : `${percent(figure.mean)} (${percentRange(figure.interval)})`;
}

function decimal(value: number | null): string {
  return value === null ? "none" : value.toFixed(2);
}
