import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { agentSettings } from "@toolbus/agent";
import { approvalsSettings } from "@toolbus/approvals";
import type { Transition } from "@toolbus/contracts";
import { gatewaySettings } from "@toolbus/gateway";
import { processSettings } from "@toolbus/runtime";
import { toolExecutor } from "@toolbus/tool-executor";
import { describe, expect, it } from "vitest";
import { withSections } from "../scripts/generated-sections.ts";
import { linksOf } from "../scripts/mechanics/applied-in.ts";
import { changedBy, type DecisionRecord, decisionList, readDecisions } from "../scripts/mechanics/decisions.ts";
import { durationText } from "../scripts/mechanics/durations.ts";
import { fixedNumbers, numberTable, valueIn } from "../scripts/mechanics/fixed-numbers.ts";
import { mechanicsSections } from "../scripts/mechanics/sections.ts";
import { timingTable } from "../scripts/mechanics/timings.ts";
import { topicTable } from "../scripts/mechanics/topics.ts";
import { transitionTable } from "../scripts/mechanics/transitions.ts";

const root = path.dirname(import.meta.dirname);
const page = (name: string): string => readFileSync(path.join(root, name), "utf8");
const PAGES = ["docs/architecture.md", "docs/mechanics.md"];
const sections = mechanicsSections(root);

describe("the pages of the architecture", () => {
  it("have current generated parts", () => {
    const written = page("docs/mechanics.md");
    expect(withSections(written, sections) === written, 'run "npm run docs"').toBe(true);
  });

  it.each(PAGES)("link only to files and headings that exist: %s", (name) => {
    const links = [...page(name).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(([, file = "", heading = ""]) => ({
      file: file === "" ? name : path.join(path.dirname(name), file),
      heading,
    }));
    expect(links.length).toBeGreaterThan(20);
    const broken = links.filter(
      ({ file, heading }) => !existsSync(path.join(root, file)) || (heading !== "" && !headingsOf(page(file)).has(heading)),
    );
    expect(broken).toEqual([]);
  });

  it.each(PAGES)("name only settings and numbers that exist: %s", (name) => {
    const known = new Set([
      ...[agentSettings, approvalsSettings, gatewaySettings, toolExecutor.settings, processSettings].flatMap((each) => Object.keys(each)),
      ...fixedNumbers.map((number) => number.name),
    ]);
    const named = [...page(name).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g)].map(([, word = ""]) => word);
    expect(named.filter((word) => !known.has(word))).toEqual([]);
  });

  it("name every row of the simulator's crash table", () => {
    const rows = [...page("docs/mechanics.md").matchAll(/^\| (\d+)b? \| /gm)].map(([, number]) => Number(number));
    expect([...new Set(rows)]).toEqual(Array.from({ length: 36 }, (_, n) => n + 1));
  });

  it("link the code of every row of the crash table", () => {
    const rows = page("docs/mechanics.md").match(/^\| \d+b? \| .*$/gm) ?? [];
    expect(
      rows.filter((row) => !/\| \[[\w-]+\.(?:ts|lua)\]\(\.\.\/[^)]+\)(?:, \[[\w-]+\.(?:ts|lua)\]\(\.\.\/[^)]+\))* \|$/.test(row)),
    ).toEqual([]);
  });

  it("agree with the page of messages on who sends and who receives", () => {
    const bySenders = page("docs/messages.md").match(/^\| `[^`]+` \| (?:queue|broadcast) \|[^|]+\|[^|]+\|/gm) ?? [];
    const byRights = topicTable().match(/^\| `[^`]+` \|.*$/gm) ?? [];
    expect(byRights.length).toBeGreaterThan(10);
    expect(bySenders.toSorted()).toEqual(byRights.toSorted());
  });
});

describe("a page with generated parts", () => {
  const marked = "# A page\n\n<!-- generated: one -->\nold\n<!-- /generated -->\n\nBy hand.\n";

  it("gets its generated parts between their markers, and keeps the rest", () => {
    const once = withSections(marked, { one: "| $& |" });
    expect(once).toBe("# A page\n\n<!-- generated: one -->\n\n| $& |\n\n<!-- /generated -->\n\nBy hand.\n");
    expect(withSections(once, { one: "| $& |" })).toBe(once);
  });

  it("is refused if a part has no markers, or markers have no part", () => {
    expect(() => withSections(marked, { one: "", two: "" })).toThrow("no markers for two");
    expect(() => withSections(marked, {})).toThrow("markers for one, which nothing generates");
  });
});

describe("a generated table", () => {
  it("of transitions names the function, and gives a reason for each rare change", () => {
    function begin(): void {}
    const transitions: readonly Transition[] = [
      {
        name: "door open",
        by: begin,
        when: "Somebody rings.",
        changes: ["door closed → open", "door closed → closed", "light none → on"],
        rare: { "door closed → closed": "it sticks" },
      },
    ];
    expect(transitionTable(transitions).split("\n")[2]).toBe(
      "| `door open` | `begin` | Somebody rings. | door closed → open<br>light none → on | door closed → closed: it sticks |",
    );
  });

  it("of timings has each setting that is a time, once and in words", () => {
    const POLL_MS = { default: 250, desc: "how often" };
    const table = timingTable(
      [
        { name: "one", settings: { POLL_MS, COUNT: { default: 7, desc: "how many" }, RETRIES_S: { default: "5,3600", desc: "when" } } },
        { name: "two", settings: { POLL_MS, AFTER_MS: { default: 0, desc: "0: never" } } },
      ],
      (setting) => `code of ${setting}`,
    );
    expect(table.split("\n").slice(2)).toEqual([
      "| `AFTER_MS` | 0 | two | 0: never | code of AFTER_MS |",
      "| `POLL_MS` | 250 ms | one, two | how often | code of POLL_MS |",
      "| `RETRIES_S` | 5 s, 1 h | one | when | code of RETRIES_S |",
    ]);
  });

  it("of timings links the files that apply a setting, and is refused if there is none, or if a file no longer has its name", () => {
    const file = "packages/contracts/src/ids.ts";
    expect(linksOf(root, "SHARDS", { SHARDS: [{ file, as: "DEFAULT_SHARDS" }] })).toBe(`[ids.ts](../${file})`);
    expect(() => linksOf(root, "SHARDS", {})).toThrow("No file applies SHARDS");
    expect(() => linksOf(root, "SHARDS", { SHARDS: [{ file, as: "NO_SHARDS" }] })).toThrow(`${file} has no "NO_SHARDS"`);
  });

  it.each([
    [250, "250 ms"],
    [90_000, "90 s"],
    [900_000, "15 min"],
    [172_800_000, "48 h"],
    [604_800_000, "7 d"],
  ])("has a duration in its largest whole unit: %d ms", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it.each([
    ["a constant", "export const MOST = 1_000;", "MOST", "1000"],
    ["a product", "const KEEP_MS = 30 * 86_400_000;", "KEEP_MS", "30 d"],
    ["a multiple of another", "const EVERY_MS = 30_000;\nexport const FOR_MS = 3 * EVERY_MS;", "FOR_MS", "90 s"],
    ["a list", "export const RUNGS_MS: readonly number[] = [250, 1000] as const;", "RUNGS_MS", "250 ms, 1 s"],
    ["a field", "const D: { readonly maxAgeMs: number } = {\n  maxAgeMs: 60 * 1000,\n};", "maxAgeMs", "1 min"],
    [
      "fields of a constant",
      "const TIMEOUT_MS: Readonly<Record<Kind, number>> = { read: 5000, write: 30_000 };",
      "TIMEOUT_MS",
      "read 5 s, write 30 s",
    ],
    ["a size", "export const MAX_BYTES = 64 * 1024;", "MAX_BYTES", "64 KiB"],
    ["nothing of that name", "const OTHERS = 1;", "OTHER", null],
    ["a value that is not a number", "const NAME = text();", "NAME", null],
  ])("of fixed numbers reads %s", (_, source, name, value) => {
    expect(valueIn(source, name)).toBe(value);
  });

  it("of fixed numbers is refused if a file no longer has such a number", () => {
    const gone = { name: "GONE_MS", file: "packages/contracts/src/ids.ts", says: "" };
    expect(() => numberTable(root, [gone])).toThrow('packages/contracts/src/ids.ts has no number "GONE_MS"');
  });
});

describe("the list of decisions", () => {
  const record = (number: string, status = "accepted, 2026-11-21"): DecisionRecord => ({
    number,
    file: `${number}-a.md`,
    title: `Title ${number}`,
    status,
  });

  it("has each record in its group, with its replacement", () => {
    const records = [
      record(
        "0001",
        "accepted, 2026-11-21. Changed in part by [0003](0003-a.md): who asks,\nand by [0002](0002-a.md). Adds to [0009](0009-a.md).",
      ),
      record("0002", "superseded by [0003](0003-a.md), 2026-11-21"),
      record("0003"),
    ];
    expect(decisionList(records, { Doors: ["0001", "0003"], Locks: ["0002"] })).toBe(
      [
        "**Doors**",
        "",
        "- [0001](decisions/0001-a.md) Title 0001 (changed in part by 0002, 0003)",
        "- [0003](decisions/0003-a.md) Title 0003",
        "",
        "**Locks**",
        "",
        "- [0002](decisions/0002-a.md) Title 0002 (superseded by 0003)",
      ].join("\n"),
    );
  });

  it("is refused with a record in no group, in two, and with one that does not exist", () => {
    expect(() => decisionList([record("0001"), record("0002")], { Doors: ["0001"] })).toThrow("look at 0002.");
    expect(() => decisionList([record("0001")], { Doors: ["0001"], Locks: ["0001"] })).toThrow("look at 0001.");
    expect(() => decisionList([record("0001")], { Doors: ["0001", "0009"] })).toThrow("look at 0009.");
  });

  it("names the record that changes, narrows or supersedes another one", () => {
    const records = readDecisions(root);
    expect(records.length).toBeGreaterThan(50);
    const unsaid = records.flatMap(({ number, status }) =>
      changesIn(status)
        .filter((changed) => !records.some((one) => one.number === changed && changedBy(one).by.includes(number)))
        .map((changed) => `${number} changes ${changed}, whose status does not say so`),
    );
    expect(unsaid).toEqual([]);
  });

  it("finds the records that a status changes", () => {
    expect(changesIn("accepted, 2026-11-22. Changes 0032 (each one), 0012 (what ends). Adds to [0009](0009-a.md).")).toEqual([
      "0032",
      "0012",
    ]);
    expect(changesIn("accepted, 2026-11-22. Adds to [0042](0042-a.md); narrows [0002](0002-a.md) (what)")).toEqual(["0002"]);
    expect(changesIn("superseded by [0025](0025-a.md), 2026-11-21")).toEqual([]);
  });
});

/** Returns the numbers of the decision records that are changed according to this status. */
function changesIn(status: string): readonly string[] {
  const clauses = status
    .replaceAll("\n", " ")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .split(/[.;] /);
  return clauses
    .filter((clause) => /\b(?:changes|narrows|supersedes)\b/i.test(clause))
    .flatMap((clause) => [...clause.matchAll(/\b(\d{4})\b/g)].map(([, number]) => number ?? ""));
}

/** Returns the anchors that the headings of a page have when it is rendered. */
function headingsOf(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
