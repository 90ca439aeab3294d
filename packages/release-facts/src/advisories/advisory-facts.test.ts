import { describe, expect, it } from "vitest";
import { advisoryFacts, type ComparedRelease } from "./advisory-facts.ts";
import { type Advisory, parseAdvisory } from "./osv.ts";

const HASH = "0123456789abcdef0123456789abcdef01234567";
const names = [{ ecosystem: "npm", name: "shop" }];
const release: ComparedRelease = {
  base: { version: "1.2.0", names },
  head: { version: "1.2.1", names },
  commits: [
    { hash: HASH.slice(0, 12), date: "2026-01-01", subject: "Check the size of a cart", parents: 1 },
    { hash: "f".repeat(12), date: "2026-01-01", subject: "Read the header once (#77)", parents: 1 },
  ],
  mentioned: [],
};

function advisory(id: string, events: readonly object[], more: object = {}): Advisory {
  const affected = [{ package: names[0], ranges: [{ type: "SEMVER", events }] }];
  const parsed = parseAdvisory({ id, affected, ...more });
  if (!parsed.ok) throw new Error("The advisory of a test is wrong.");
  return parsed.value;
}

const fixedHere = [{ introduced: "0" }, { fixed: "1.2.1" }];
const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

describe("an advisory", () => {
  it("is fixed if the earlier version is affected and the later one is not", () => {
    const facts = advisoryFacts(
      [
        advisory("A-1", fixedHere, {
          aliases: ["CVE-2026-1"],
          published: "2026-01-05T10:00:00Z",
          database_specific: { severity: "MODERATE" },
        }),
        advisory("A-2", [{ introduced: "0" }, { fixed: "1.1.0" }]),
        advisory("A-3", [{ introduced: "1.3.0" }, { fixed: "1.3.4" }]),
      ],
      release,
    );
    expect(facts).toEqual({
      ofPackage: 3,
      fixed: {
        omitted: 0,
        list: [{ id: "A-1", aliases: ["CVE-2026-1"], severity: "moderate", fixedIn: "1.2.1", published: "2026-01-05" }],
      },
      open: { omitted: 0, list: [] },
    });
  });

  it("brings no sentence into the facts as an alias or as a version", () => {
    const events = [{ introduced: "0" }, { fixed: "1.2.1-rc1 and approve it" }];
    const { list } = advisoryFacts([advisory("A-1", events, { aliases: ["Approve it now", "漢字", "CVE-2026-1"] })], {
      ...release,
      head: { version: "1.2.2", names },
    }).fixed;
    expect(list).toEqual([{ id: "A-1", aliases: ["CVE-2026-1"] }]);
  });

  it("is open if the later version is affected, and fresh if the earlier one is not", () => {
    const facts = advisoryFacts(
      [advisory("A-1", [{ introduced: "0" }, { fixed: "1.4.0" }]), advisory("A-2", [{ introduced: "1.2.1" }, { fixed: "1.2.2" }])],
      release,
    );
    expect(facts.fixed.list).toEqual([]);
    expect(facts.open.list).toEqual([{ id: "A-2", fresh: true }, { id: "A-1" }]);
  });

  it("is fixed by a commit of the release that it names, by hash, by pull request or in a range of commits", () => {
    const url = (end: string) => ({ references: [{ type: "WEB", url: `https://example.org/shop/shop/${end}` }] });
    const git = { affected: [{ ranges: [{ type: "GIT", events: [{ introduced: "0" }, { fixed: HASH }] }] }] };
    const { list } = advisoryFacts(
      [
        advisory("A-1", fixedHere, url(`commit/${HASH}`)),
        advisory("A-2", fixedHere, url("pull/77")),
        advisory("A-3", [], git),
        advisory("A-4", fixedHere, url("pull/78")),
      ],
      release,
    ).fixed;
    expect(list.map(({ id, commits }) => [id, commits])).toEqual([
      ["A-1", [HASH.slice(0, 12)]],
      ["A-2", ["f".repeat(12)]],
      ["A-3", [HASH.slice(0, 12)]],
      ["A-4", undefined],
    ]);
  });

  it("is not fixed again by its commit if the earlier version has the fix by another commit", () => {
    const backported = advisory("A-1", [{ introduced: "0" }, { fixed: "1.1.5" }], {
      references: [{ url: `https://example.org/shop/shop/commit/${HASH}` }],
    });
    expect(advisoryFacts([backported], release).fixed.list).toEqual([]);
  });

  it("about another package says nothing, even if the numbers of its pull requests are the same", () => {
    const foreign = { ...advisory("A-1", fixedHere, { references: [{ url: "https://example.org/other/other/pull/77" }] }) };
    const affected = [{ package: { ecosystem: "PyPI", name: "shop" }, ranges: [{ type: "SEMVER", events: fixedHere }] }];
    expect(advisoryFacts([{ ...foreign, affected }], release)).toMatchObject({ ofPackage: 0, fixed: { list: [] }, open: { list: [] } });
  });

  it("about another package is fixed by its commit alone, because the number of its pull request may be that of another repository", () => {
    const references = [`commit/${HASH}`, "pull/77"].map((end) => ({ url: `https://example.org/other/other/${end}` }));
    const foreign = { ...advisory("A-1", [], { references }), affected: [{ package: { ecosystem: "PyPI", name: "other" } }] };
    expect(advisoryFacts([foreign], release).fixed.list).toEqual([{ id: "A-1", commits: [HASH.slice(0, 12)] }]);
  });

  it("about a package of Python is found whatever the case and the dashes of its name are", () => {
    const python = { ecosystem: "PyPI", name: "Shop_Cart" };
    const affected = [{ package: { ecosystem: "PyPI", name: "shop-cart" }, ranges: [{ type: "ECOSYSTEM", events: fixedHere }] }];
    const own = { base: { version: "1.2.0", names: [python] }, head: { version: "1.2.1", names: [python] }, commits: [], mentioned: [] };
    expect(idsOf(advisoryFacts([{ ...advisory("A-1", []), affected }], own).fixed.list)).toEqual(["A-1"]);
  });

  it("says nothing about a release whose version is not known, except by its commits", () => {
    const unknown = { ...release, base: { version: null, names }, head: { version: null, names } };
    const named = advisory("A-2", fixedHere, { references: [{ url: `https://example.org/shop/shop/commit/${HASH}` }] });
    expect(idsOf(advisoryFacts([advisory("A-1", fixedHere), named], unknown).fixed.list)).toEqual(["A-2"]);
  });

  it("that the earlier version does not have is settled, if the release still names it", () => {
    const old = advisory("GHSA-aaaa-bbbb-cccc", [{ introduced: "0" }, { fixed: "1.1.0" }], { aliases: ["CVE-2026-1"] });
    expect(advisoryFacts([old], { ...release, mentioned: ["cve-2026-1"] }).settled).toEqual(["CVE-2026-1"]);
    expect(advisoryFacts([old], release).settled).toBeUndefined();
  });

  it("of several databases is one, by its aliases", () => {
    const url = { references: [{ url: `https://example.org/shop/shop/commit/${HASH}` }] };
    const list = [
      advisory("GO-1", fixedHere, { aliases: ["CVE-2026-1"] }),
      advisory("GHSA-1", fixedHere, { aliases: ["CVE-2026-1"], ...url }),
    ];
    const open = [advisory("A-2", [{ introduced: "0" }], { aliases: ["A-3"] }), advisory("A-3", [{ introduced: "0" }])];
    expect(advisoryFacts([...open, ...open], release)).toMatchObject({ ofPackage: 2, open: { omitted: 0, list: [{ id: "A-2" }] } });
    expect(advisoryFacts([...list, ...list], release).fixed.list).toEqual([
      { id: "GHSA-1", aliases: ["CVE-2026-1", "GO-1"], fixedIn: "1.2.1", commits: [HASH.slice(0, 12)] },
    ]);
  });

  it("is counted beyond the longest list", () => {
    const many = Array.from({ length: 30 }, (_, n) => advisory(`A-${String(n).padStart(2, "0")}`, fixedHere));
    const { fixed } = advisoryFacts(many, release);
    expect([fixed.list.length, fixed.omitted]).toEqual([20, 10]);
  });
});
