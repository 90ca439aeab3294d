import { describe, expect, it } from "vitest";
import type { DependencyChange } from "../release-facts.ts";
import { dependencyAdvisories } from "./dependency-advisories.ts";
import { type DependencyStep, dependencySteps } from "./dependency-steps.ts";
import { type Advisory, parseAdvisory } from "./osv.ts";

const change: DependencyChange = { manifest: "package.json", name: "qs", from: "6.9.6", to: "6.9.7", step: "patch", use: "runtime" };
const stepsOf = (...changes: readonly Partial<DependencyChange>[]) => dependencySteps(changes.map((each) => ({ ...change, ...each })));

function advisory(id: string, events: readonly object[], more: object = {}): Advisory {
  const affected = [{ package: { ecosystem: "npm", name: "qs" }, ranges: [{ type: "SEMVER", events }] }];
  const parsed = parseAdvisory({ id, affected, ...more });
  if (!parsed.ok) throw new Error("The advisory of a test is wrong.");
  return parsed.value;
}

const fixedHere = [{ introduced: "0" }, { fixed: "6.9.7" }];
const broughtHere = [{ introduced: "6.9.7" }];
const compared = (list: readonly Advisory[], steps: readonly DependencyStep[] = stepsOf({}), most = 8) =>
  dependencyAdvisories(list, steps, most);

describe("the steps of dependencies", () => {
  it("have the ecosystem of their manifest, and those for development or without a sure version are left out", () => {
    const steps = stepsOf(
      {},
      { name: "jest", use: "dev" },
      { name: "gone", to: null },
      { name: "any", to: "*" },
      { name: "fresh", from: null, to: "1.0.0" },
      { name: "range", from: null, to: "^1.0.0" },
      { manifest: "go.mod", name: "golang.org/x/net", from: "v0.1.0", to: "v0.2.0", use: "optional" },
      { manifest: "build.gradle", name: "other" },
      { manifest: "packages/a/package.json" },
    );
    expect(steps.map(({ ecosystem, name, from, to, use }) => [ecosystem, name, from, to, use])).toEqual([
      ["npm", "fresh", null, "1.0.0", "runtime"],
      ["npm", "qs", "6.9.6", "6.9.7", "runtime"],
      ["Go", "golang.org/x/net", "0.1.0", "0.2.0", "optional"],
    ]);
  });

  it("fix an advisory that affects the version before and not the one after", () => {
    const open = advisory("A-2", [{ introduced: "0" }]);
    const old = advisory("A-3", [{ introduced: "0" }, { fixed: "6.9.0" }]);
    const other = { ...advisory("A-4", fixedHere), affected: [{ package: { ecosystem: "PyPI", name: "qs" }, versions: ["6.9.6"] }] };
    expect(compared([advisory("A-1", fixedHere, { published: "2026-01-05T10:00:00Z" }), open, old, other])).toEqual({
      omitted: 0,
      list: [
        {
          manifest: "package.json",
          name: "qs",
          use: "runtime",
          from: "6.9.6",
          to: "6.9.7",
          firstFixed: true,
          fixed: { omitted: 0, list: [{ id: "A-1", published: "2026-01-05" }] },
        },
      ],
    });
    expect(compared([open, old, other])).toBeUndefined();
  });

  it("go to the first version with a fix, or to a later one", () => {
    const first = (...fixedAt: readonly string[]) =>
      compared(fixedAt.map((fixed, at) => advisory(`A-${at}`, [{ introduced: "0" }, { fixed }])))?.list.map((step) => step.firstFixed);
    expect(first("6.9.7")).toEqual([true]);
    expect(first("6.9.7.0")).toEqual([true]);
    expect(first("6.9.6.1")).toEqual([undefined]);
    expect(first("6.9.6.1", "6.9.7")).toEqual([true]);
    // An advisory that the earlier version had closed says nothing about this step.
    expect(
      compared([advisory("A-1", [{ introduced: "6.9.7" }]), advisory("A-2", [{ introduced: "0" }, { fixed: "6.9.0" }])])?.list[0],
    ).not.toHaveProperty("firstFixed");
  });

  it("count one vulnerability once, and not if another database says that the later version is affected", () => {
    const names = { aliases: ["CVE-2026-1111"] };
    const both = [advisory("GHSA-a", fixedHere, names), advisory("GO-1", fixedHere, names)];
    expect(compared(both)?.list[0]?.fixed).toEqual({ omitted: 0, list: [{ id: "CVE-2026-1111" }] });
    expect(compared([...both, advisory("GMS-1", [{ introduced: "0" }], names)])).toBeUndefined();
  });

  it("bring an advisory only if the version is exact", () => {
    const brought = { omitted: 0, list: [{ id: "A-1" }] };
    const list = [advisory("A-1", broughtHere)];
    expect(compared(list)?.list).toMatchObject([{ from: "6.9.6", brought }]);
    expect(compared(list, stepsOf({ from: null }))?.list).toMatchObject([{ from: null, brought }]);
    expect(compared(list, stepsOf({ from: "^6.9.6", to: "^6.9.7" }))).toBeUndefined();
    expect(compared([advisory("A-2", fixedHere)], stepsOf({ from: "^6.9.6", to: "^6.9.7" }))?.list).toMatchObject([{ lowest: true }]);
  });

  it("are counted beyond the longest lists", () => {
    const many = Array.from({ length: 9 }, (_, at) => advisory(`A-${at}`, fixedHere));
    expect(compared(many)?.list[0]?.fixed).toMatchObject({ omitted: 4 });
    const two = compared(many, [...stepsOf({}), ...stepsOf({ from: "6.9.5" })], 1);
    expect([two?.omitted, two?.list.length]).toEqual([1, 1]);
  });
});
