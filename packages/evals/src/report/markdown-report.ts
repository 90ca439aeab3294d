import { counted } from "@toolbus/contracts";
import type { EvaluationReport, VariantReport } from "./evaluation-report.ts";
import { changeInWords, comparisonInWords, notComparedInWords, percent } from "./in-words.ts";
import { summaryRows } from "./summary-rows.ts";
import { visibleText } from "./visible-text.ts";

/** Returns the report as Markdown, for a comment on a change or a page of a wiki. Every text from outside is escaped. */
export function markdownReport({ result, variants, comparisons, regressions }: EvaluationReport): string {
  const lines = [
    `# Evaluation of ${text(result.suite)}`,
    "",
    `${text(result.startedAt)} to ${text(result.endedAt)}. Suite ${text(result.suiteHash.slice(0, 24))}.`,
    "",
    ...table(
      ["Figure", ...variants.map(({ variant }) => variant)],
      [
        ["Model", ...variants.map(({ variant }) => result.models[variant] ?? "unknown")],
        ...summaryRows(variants.map(({ summary }) => summary)).map(({ name, cells }) => [name, ...cells]),
      ],
    ),
    ...comparisons.flatMap((one) => [
      "",
      `## ${text(one.first)} and ${text(one.second)}`,
      "",
      ...comparisonInWords(one).map((line) => `- ${text(line)}`),
    ]),
    ...(regressions === null
      ? []
      : [
          "",
          `## Compared with the baseline ${text(regressions.baseline)}`,
          "",
          `${counted(regressions.compared, "scenario")} compared.`,
          ...list("Regressions", regressions.regressions.map(changeInWords)),
          ...list("Improvements", regressions.improvements.map(changeInWords)),
          ...list("Not compared", [...regressions.notCompared.map(notComparedInWords), ...regressions.scoresNotCompared]),
        ]),
    ...variants.flatMap((variant) => scenarioLines(variant, variants.length > 1)),
  ];
  return `${lines.join("\n")}\n`;
}

function scenarioLines({ variant, scenarios }: VariantReport, named: boolean): readonly string[] {
  const rows = scenarios.map(({ id, status, passes, trials, meanScore }) => {
    const failures = trials.flatMap(({ problem, scores }) => [
      ...(problem === undefined ? [] : [problem]),
      ...scores.filter(({ passed }) => !passed).map(({ name }) => name),
    ]);
    const score = meanScore === null ? "none" : percent(meanScore);
    return [id, status, `${passes.filter((pass) => pass === 1).length} of ${trials.length}`, score, [...new Set(failures)].join("; ")];
  });
  return [
    "",
    `## Scenarios${named ? ` of ${text(variant)}` : ""}`,
    "",
    ...table(["Scenario", "Status", "Passed repeats", "Mean score", "What failed"], rows),
  ];
}

function list(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ["", `${title}: none.`] : ["", `${title}:`, "", ...lines.map((line) => `- ${text(line)}`)];
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(text).join(" | ")} |`;
  return [line(header), `| ${header.map(() => "---").join(" | ")} |`, ...rows.map(line)];
}

/** Returns external text without any character that Markdown or HTML inside it gives a meaning. */
function text(value: string): string {
  return visibleText(value).replace(/[\\`*_[\]<>|#&!~]/g, (character) =>
    character === "<" ? "&lt;" : character === "&" ? "&amp;" : `\\${character}`,
  );
}
