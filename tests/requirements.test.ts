import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { requirementsPage } from "../scripts/requirements-page.ts";
import { mutations } from "./requirement-mutations/mutations.ts";
import { requirementAreas } from "./requirement-rows.ts";
import { backToPlanned, met, metOnTheWire } from "./requirements-met.ts";
import { composeRequirements, requirements } from "./requirements.ts";

const root = path.dirname(import.meta.dirname);

describe("requirements", () => {
  it("issues every ID once", () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^(?:[A-Z]|LV)-\d\d$|^BEST-\d+$/.test(id))).toEqual([]);
  });

  it("has no deleted row", () => {
    const counts = Object.fromEntries(requirementAreas.map(({ rows }) => [prefixOf(rows[0]?.[0]), rows.length]));
    expect(counts).toEqual(issued);
  });

  it("marks no unknown ID as met", () => {
    const ids = new Set(requirements.map(({ id }) => id));
    expect(Object.keys(met).filter((id) => !ids.has(id))).toEqual([]);
  });

  it("lists only met rows as met on the wire", () => {
    expect(metOnTheWire.filter((id) => (met[id] ?? []).length === 0)).toEqual([]);
  });

  it("says of a row that is planned again why, and of no other", () => {
    expect(Object.keys(backToPlanned).filter((id) => met[id] !== undefined)).toEqual([]);
    expect(requirements.filter(({ because }) => because !== undefined).map(({ id }) => id)).toEqual(Object.keys(backToPlanned));
  });

  it("names an existing test for every row that is met", () => {
    const broken = requirements.flatMap(({ id, tests }) =>
      tests.filter(({ file, name }) => !hasTest(file, name)).map(({ file, name }) => `${id}: no test "${name}" that runs in ${file}`),
    );
    expect(broken).toEqual([]);
  });

  it("has a current page", () => {
    expect(
      readFileSync(path.join(root, "docs/requirements.md"), "utf8") === requirementsPage(requirements, mutations),
      'run "npm run docs"',
    ).toBe(true);
  });
});

describe("composed requirements", () => {
  const setup = () =>
    composeRequirements({
      areas: [
        {
          title: "Doors",
          rows: [
            ["D-01", "S1", "Opens"],
            ["D-02", "S1", "Closes"],
            ["D-03", "first", "Locks", "a key | no key"],
          ],
        },
      ],
      met: { "D-01": [{ file: "door.test.ts", test: "opens" }], "D-03": [{ file: "lock.test.ts", test: "locks" }] },
      metOnTheWire: ["D-03"],
    });

  it("take their state from the tests that are named for them", () => {
    expect(setup().map(({ id, state }) => [id, state])).toEqual([
      ["D-01", "met"],
      ["D-02", "planned"],
      ["D-03", "met (wire)"],
    ]);
  });

  it.each([
    ["tests/e2e/door.test.ts", false, ["real parts"]],
    ["packages/bus/src/conformance/doors.ts", false, ["real parts"]],
    ["packages/testing/src/doors.test.ts", false, ["simulator"]],
    ["packages/doors/src/door.test.ts", true, ["wire server"]],
    ["packages/doors/src/door.test.ts", false, ["in process"]],
  ])("say what a test of %s rests on (on the wire: %s)", (file, onTheWire, restsOn) => {
    const areas = [{ title: "Doors", rows: [["D-01", "S1", "Opens"]] as const }];
    const [row] = composeRequirements({ areas, met: { "D-01": [{ file, test: "opens" }] }, metOnTheWire: onTheWire ? ["D-01"] : [] });
    expect(row?.restsOn).toEqual(restsOn);
  });

  it("become a page that links each proof and escapes what would end a cell", () => {
    const page = requirementsPage(setup(), { "D-01": { breaks: "it stays closed", patches: [] } });
    expect(page).toContain("3 requirements: 1 met, 1 met (wire), 1 planned.");
    expect(page).toContain("| D-01 | S1 | Opens | met | in process | [opens](../door.test.ts) | it stays closed |");
    expect(page).toContain("| D-03 | first | Locks. Shown: a key \\| no key | met (wire) | wire server | [locks](../lock.test.ts) |  |");
  });
});

describe("the search for a named test", () => {
  it.each([
    ["a plain test", 'it("opens the door", () => {', true],
    ["a test of a table", 'it.each([1, 2])("opens the door", () => {', true],
    ["a typed test of a table", 'it.each<[string, number]>([["a", f(1)]])("opens the door", () => {', true],
    ["a test that runs on a condition", 'it.skipIf(!redis)("opens the door", () => {', true],
    ["a name over the line", 'it(\n  "opens the door",', true],
    ["another test", 'it("opens the door slowly", () => {', false],
    ["a skipped test", 'it.skip("opens the door", () => {', false],
    ["a test to be written", 'it.todo("opens the door");', false],
    ["a comment", '// it("opens the door", () => {', false],
    ["a mere string", 'const title = "opens the door";', false],
  ])("judges %s", (_, source, found) => {
    expect(declaresTest(source, "opens the door")).toBe(found);
  });
});

/** The number of rows of each area, by the letters of their IDs. It is a literal, so that nobody can remove a row unnoticed. */
// oxfmt-ignore
const issued = {
  B: 17, G: 20, X: 15, M: 12, S: 8, U: 4, W: 6, C: 12, T: 6, P: 5, O: 3, D: 7, A: 20, E: 12, L: 13, V: 23, K: 5, R: 5, H: 6, Z: 6, N: 9, Q: 7,
  Y: 6, F: 10, LV: 37, BEST: 10,
};

function prefixOf(id: string | undefined): string {
  return id?.split("-")[0] ?? "";
}

/** Returns whether a file declares this test. Conformance suites are included, because adapters run them from their own test files. */
function hasTest(file: string, name: string): boolean {
  if (!/\.test\.ts$|\/conformance\/[^/]+\.ts$/.test(file) || !existsSync(path.join(root, file))) return false;
  return declaresTest(readFileSync(path.join(root, file), "utf8"), name);
}

function declaresTest(source: string, name: string): boolean {
  const quoted = name.replaceAll("\\", "\\\\").replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const call = String.raw`^[ \t]*(?:it|test)(?!\.(?:skip|todo)\b)(?:\.\w+)*(?:<[^()]*>)?(?:\((?:[^()]|\([^()]*\))*\))?\(\s*(["'\x60])${quoted}\1`;
  return new RegExp(call, "m").test(source);
}
