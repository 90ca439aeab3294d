import { counted } from "@toolbus/contracts";
import type { EvaluationReport, VariantReport } from "../evaluation-report.ts";
import { changeInWords, comparisonInWords, dollars, notComparedInWords, percent } from "../in-words.ts";
import type { ScenarioOutcome } from "../scenario-outcome.ts";
import { summaryRows } from "../summary-rows.ts";
import { type ShareRow, shareChart, trialChart } from "./charts.ts";
import { markup, type Markup, markupText, trusted } from "./markup.ts";
import { STYLE } from "./style.ts";

// A page with more rows is slow to open and nobody reads it. The JSON has all of them.
const MOST_SCENARIOS = 1000;

/** Returns the report as one HTML page. The page has no script, and its policy forbids every request, so it can be opened and sent anywhere. */
export function htmlReport(report: EvaluationReport): string {
  const { result, variants } = report;
  const page = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>Evaluation of ${result.suite}</title>
        <style>
          ${trusted(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>Evaluation of ${result.suite}</h1>
          <p class="soft">${result.startedAt} to ${result.endedAt}. Suite ${result.suiteHash.slice(0, 24)}.</p>
          ${verdict(report)}
          <h2>Summary</h2>
          ${summaryTable(report)} ${report.comparisons.length === 0 ? null : comparisons(report)}
          ${report.regressions === null ? null : regressionPart(report.regressions)}
          <h2>Figures</h2>
          <div class="columns">${variants.length > 1 ? variants.map((variant) => markup`<div class="stack">${figures(variant, true)}</div>`) : variants.map((variant) => figures(variant, false))}</div>
          <h2>Scenarios</h2>
          ${variants.map((variant) => scenarioTable(variant, variants.length > 1))}
        </main>
      </body>
    </html> `;
  return `${markupText(page).trim()}\n`;
}

function verdict({ variants }: EvaluationReport): Markup {
  return markup`${variants.map(({ variant, summary: { byStatus, totalScenarios, errors } }) => {
    const failed = totalScenarios - byStatus.passed;
    const words =
      failed === 0
        ? markup`<span class="passed">passed</span>: all ${counted(totalScenarios, "scenario")} passed.`
        : markup`<span class="failed">not passed</span>: ${byStatus.passed} of ${counted(totalScenarios, "scenario")} passed in every repeat.`;
    const lost =
      errors === 0
        ? null
        : ` ${counted(errors, "trial")} could not be scored and ${errors === 1 ? "says" : "say"} nothing about the agent.`;
    return markup`<p><strong>${variant}</strong> ${words}${lost}</p>`;
  })}`;
}

function summaryTable({ result, variants }: EvaluationReport): Markup {
  const rows = summaryRows(variants.map(({ summary }) => summary));
  return scrolling(
    "Summary",
    markup`<table>
      <thead>
        <tr>
          <th scope="col">Figure</th>
          ${variants.map(({ variant }) => markup`<th scope="col">${variant}</th>`)}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Model</th>
          ${variants.map(({ variant }) => markup`<td>${result.models[variant] ?? "unknown"}</td>`)}
        </tr>
        ${rows.map(
          ({ name, cells }) =>
            markup`<tr>
              <th scope="row">${name}</th>
              ${cells.map((cell) => markup`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

function comparisons({ comparisons: compared }: EvaluationReport): Markup {
  return markup`<h2>Variants side by side</h2>
    ${compared.map(
      (one) =>
        markup`<h3>${one.first} and ${one.second}</h3>
          ${comparisonInWords(one).map((line) => markup`<p>${line}</p>`)}`,
    )}`;
}

function regressionPart(found: NonNullable<EvaluationReport["regressions"]>): Markup {
  const list = (title: string, lines: readonly string[]): Markup =>
    markup`<h3>${title}</h3>
      ${
        lines.length === 0
          ? markup`<p>None.</p>`
          : markup`<ul>
              ${lines.map((line) => markup`<li>${line}</li>`)}
            </ul>`
      }`;
  return markup`<h2>Compared with the baseline ${found.baseline}</h2>
    <p class="soft">Saved ${found.savedAt}. ${counted(found.compared, "scenario")} compared.</p>
    ${list("Regressions", found.regressions.map(changeInWords))} ${list("Improvements", found.improvements.map(changeInWords))}
    ${found.notCompared.length === 0 ? null : list("Not compared", found.notCompared.map(notComparedInWords))}
    ${found.scoresNotCompared.length === 0 ? null : list("Scores that only one side has", found.scoresNotCompared)}`;
}

function figures({ variant, summary, scenarios }: VariantReport, named: boolean): Markup {
  const of = named ? ` of ${variant}` : "";
  const trials = scenarios.flatMap((scenario) => scenario.trials);
  const bars = (value: (usage: (typeof trials)[number]["usage"]) => number | null) =>
    trials.map(({ usage, status }) => ({ value: value(usage), passed: status === "passed" }));
  const byTag = rowsOf(summary.passRateByTag);
  return markup`<div class="panel">
      <h3>Pass rate by tag${of}</h3>
      ${byTag.length === 0 ? markup`<p class="soft">No scenario has a tag.</p>` : shareChart(`Pass rate by tag${of}`, byTag)}
    </div>
    <div class="panel">
      <h3>Scores by dimension${of}</h3>
      ${shareChart(`Scores by dimension${of}`, rowsOf(summary.avgScores))}
    </div>
    <div class="panel">
      <h3>Cost per trial${of}</h3>
      ${trialChart(
        `Cost per trial${of}`,
        bars(({ costMicroUsd }) => costMicroUsd),
        dollars,
      )}
    </div>
    <div class="panel">
      <h3>Time per trial${of}</h3>
      ${trialChart(
        `Time per trial${of}`,
        bars(({ elapsedMs }) => elapsedMs),
        (ms) => `${(ms / 1000).toFixed(2)} s`,
      )}
    </div>`;
}

function scenarioTable({ variant, scenarios }: VariantReport, named: boolean): Markup {
  const shown = scenarios.slice(0, MOST_SCENARIOS);
  const left = scenarios.length - shown.length;
  return markup`${named ? markup`<h3>${variant}</h3>` : null}${scrolling(
    `Scenarios of ${variant}`,
    markup`<table>
      <thead>
        <tr>
          <th scope="col">Scenario</th>
          <th scope="col">Status</th>
          <th scope="col">Passed repeats</th>
          <th scope="col">Mean score</th>
          <th scope="col">What failed</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(scenarioRow)}
      </tbody>
    </table>`,
  )}${left === 0 ? null : markup`<p>${counted(left, "more scenario")} in the JSON report.</p>`}`;
}

function scenarioRow({ id, tags, status, passes, trials, meanScore }: ScenarioOutcome): Markup {
  const reasons = trials.flatMap(({ problem, scores }) => [
    ...(problem === undefined ? [] : [problem]),
    ...scores.filter(({ passed }) => !passed).map(({ name, reason, advisory }) => `${name}${advisory ? " (advisory)" : ""}: ${reason}`),
  ]);
  return markup`<tr>
    <th scope="row">${id}${tags.length === 0 ? null : markup`<br /><span class="soft">${tags.join(", ")}</span>`}</th>
    <td><span class="${status}">${status}</span></td>
    <td class="short">${passes.filter((pass) => pass === 1).length} of ${trials.length}</td>
    <td class="short">${meanScore === null ? "none" : percent(meanScore)}</td>
    <td>${[...new Set(reasons)].map((reason) => markup`<p>${reason}</p>`)}</td>
  </tr>`;
}

function rowsOf(figuresByName: Readonly<Record<string, Omit<ShareRow, "name">>>): readonly ShareRow[] {
  return Object.entries(figuresByName).map(([name, { mean, interval, scenarios }]) => ({ name, mean, interval, scenarios }));
}

/** A wide table scrolls inside its own region, which people can reach with the keyboard. */
function scrolling(label: string, table: Markup): Markup {
  return markup`<div class="scroll" role="region" tabindex="0" aria-label="${label}">${table}</div>`;
}
