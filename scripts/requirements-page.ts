import type { Mutations } from "../tests/requirement-mutations/mutation.ts";
import type { Requirement } from "../tests/requirements.ts";

/** Renders `docs/requirements.md`: first the counts of each state, then one table per area. The same rows always give the same bytes. */
export function requirementsPage(requirements: readonly Requirement[], mutations: Mutations): string {
  const areas = Map.groupBy(requirements, (requirement) => requirement.area);
  return [
    "# Requirements",
    "",
    "Generated from `tests/requirements.ts` by `npm run docs`; do not edit. A requirement is met when the named test proves it on the real path,",
    "`met (wire)` when a server that speaks the real protocol plays the outside world, and `planned` until then.",
    "",
    "*Rests on* says what these tests run on: `real parts` are real brokers, stores or processes; a `wire server` of ours speaks a vendor's protocol; the",
    "`simulator` runs the real services on virtual time, with faults; `in process` is the real code on the bus and the store in memory. *Goes red when* is the",
    "change that makes the row untrue and one of its tests fail; `npm run requirements -- --mutate` makes all these changes ([testing.md](testing.md)).",
    "",
    `${summary(requirements)}.`,
    "",
    "S0 to S4 are the source documents, `brief` is the project's brief, `implied` is what a user takes for granted; `beyond` and `first`",
    "exceed the sources.",
    "",
    ...[...areas].flatMap(([title, rows]) => section(title, rows, mutations)),
  ].join("\n");
}

function summary(requirements: readonly Requirement[]): string {
  const count = (state: Requirement["state"]) => requirements.filter((requirement) => requirement.state === state).length;
  return `${requirements.length} requirements: ${count("met")} met, ${count("met (wire)")} met (wire), ${count("planned")} planned`;
}

function section(title: string, rows: readonly Requirement[], mutations: Mutations): readonly string[] {
  const head = ["| ID | From | Requirement | State | Rests on | Test | Goes red when |", "| --- | --- | --- | --- | --- | --- | --- |"];
  return [`## ${title}`, "", ...head, ...rows.map((row) => tableRow(row, mutations[row.id]?.breaks ?? "")), ""];
}

function tableRow({ id, from, requirement, shown, state, restsOn, tests, because }: Requirement, breaks: string): string {
  const text = shown === undefined ? requirement : `${requirement}. Shown: ${shown}`;
  const proofs = because === undefined ? tests.map(({ file, name }) => `[${name}](../${file})`) : [because];
  return `| ${[id, from, text, state, restsOn.join(", "), proofs.join("<br>"), breaks].map(cell).join(" | ")} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
