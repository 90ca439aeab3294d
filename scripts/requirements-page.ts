import type { Requirement } from "../tests/requirements.ts";

/** Renders `docs/requirements.md`: one table an area, with the counts of each state above. The same rows give the same bytes. */
export function requirementsPage(requirements: readonly Requirement[]): string {
  const areas = Map.groupBy(requirements, (requirement) => requirement.area);
  return [
    "# Requirements",
    "",
    "Generated from `tests/requirements.ts` by `npm run docs`; do not edit. A requirement is met when the named test proves it on the real path,",
    "`met (wire)` when a server that speaks the real protocol plays the outside world, and `planned` until then.",
    "",
    `${summary(requirements)}.`,
    "",
    "S0 to S4 are the source documents, `brief` is the design card of the project, `implied` is what a user takes for granted; `beyond` and `first`",
    "go past the sources.",
    "",
    ...[...areas].flatMap(([title, rows]) => section(title, rows)),
  ].join("\n");
}

function summary(requirements: readonly Requirement[]): string {
  const count = (state: Requirement["state"]) => requirements.filter((requirement) => requirement.state === state).length;
  return `${requirements.length} requirements: ${count("met")} met, ${count("met (wire)")} met (wire), ${count("planned")} planned`;
}

function section(title: string, rows: readonly Requirement[]): readonly string[] {
  return [`## ${title}`, "", "| ID | From | Requirement | State | Test |", "| --- | --- | --- | --- | --- |", ...rows.map(tableRow), ""];
}

function tableRow({ id, from, requirement, shown, state, tests }: Requirement): string {
  const text = shown === undefined ? requirement : `${requirement}. Shown: ${shown}`;
  const proofs = tests.map(({ file, name }) => `[${name}](../${file})`);
  return `| ${[id, from, text, state, proofs.join("<br>")].map(cell).join(" | ")} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
