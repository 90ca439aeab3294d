import { describe, expect, it } from "vitest";
import { fixedBetween, isAffected } from "./affected-versions.ts";
import { compareVersions } from "./version-order.ts";

describe("the order of versions", () => {
  it.each([
    // The example of semver.org, and further forms of PEP 440 and Go.
    ["1.0.0-alpha", "1.0.0-alpha.1"],
    ["1.0.0-alpha.1", "1.0.0-alpha.beta"],
    ["1.0.0-alpha.beta", "1.0.0-beta"],
    ["1.0.0-beta", "1.0.0-beta.2"],
    ["1.0.0-beta.2", "1.0.0-beta.11"],
    ["1.0.0-beta.11", "1.0.0-rc.1"],
    ["1.0.0-rc.1", "1.0.0"],
    ["1.4.4-lts.1", "1.4.5-lts.1"],
    ["1.9.9", "1.10.0"],
    ["2.0.dev1", "2.0a1"],
    ["2.0a1", "2.0b1"],
    ["2.0b1", "2.0rc1"],
    ["2.0rc1", "2.0"],
    ["2.0", "2.0.post1"],
    ["v0.0.0-20230101000000-abcdefabcdef", "v0.1.0"],
    ["1.2.3", "1.2.3.4"],
  ])("has %s before %s", (earlier, later) => {
    expect(compareVersions(earlier, later)).toBeLessThan(0);
    expect(compareVersions(later, earlier)).toBeGreaterThan(0);
  });

  it.each([
    ["1.0", "1.0.0"],
    ["v1.2.3", "1.2.3"],
    ["1.2.3+build.5", "1.2.3"],
    ["1.0a1", "1.0.0-alpha1"],
  ])("has %s and %s as equal", (one, other) => {
    expect(compareVersions(one, other)).toBe(0);
  });

  it("does not know what is no version", () => {
    expect(compareVersions("main", "1.0.0")).toBeNull();
    expect(compareVersions("1.0.0", "1.0.0 (beta)")).toBeNull();
  });
});

describe("the affected versions", () => {
  const range = (...events: readonly object[]) => ({ ranges: [{ type: "SEMVER", events: [...events] }] });

  it.each([
    [range({ introduced: "0" }, { fixed: "1.2.0" }), "1.1.9", true],
    [range({ introduced: "0" }, { fixed: "1.2.0" }), "1.2.0-rc.1", true],
    [range({ introduced: "0" }, { fixed: "1.2.0" }), "1.2.0", false],
    [range({ introduced: "1.1.0" }, { fixed: "1.2.0" }), "1.0.9", false],
    [range({ introduced: "1.1.0" }, { last_affected: "1.2.0" }), "1.2.0", true],
    [range({ introduced: "1.1.0" }, { last_affected: "1.2.0" }), "1.2.1", false],
    [range({ introduced: "2.0.0" }, { fixed: "2.0.5" }, { introduced: "0" }, { fixed: "1.9.3" }), "1.9.2", true],
    [range({ introduced: "2.0.0" }, { fixed: "2.0.5" }, { introduced: "0" }, { fixed: "1.9.3" }), "1.9.4", false],
    [range({ introduced: "2.0.0" }, { fixed: "2.0.5" }, { introduced: "0" }, { fixed: "1.9.3" }), "2.0.4", true],
    [{ versions: ["1.0", "1.1"] }, "1.1.0", true],
    [{ versions: ["1.0", "1.1"] }, "1.2", false],
    [{ ranges: [{ type: "GIT", events: [{ introduced: "0" }, { fixed: "a".repeat(40) }] }] }, "1.0.0", null],
    [range({ introduced: "0" }, { fixed: "unreleased" }), "1.0.0", false],
  ])("of %j have %s: %s", (entry, version, answer) => {
    expect(isAffected(entry, version)).toBe(answer);
  });

  it("end at the first fixed version of the release", () => {
    const entry = range({ introduced: "0" }, { fixed: "1.9.3" }, { introduced: "2.0.0" }, { fixed: "2.0.5" });
    expect(fixedBetween(entry, "1.9.2", "2.1.0")).toBe("1.9.3");
    expect(fixedBetween(entry, "2.0.4", "2.0.5")).toBe("2.0.5");
    expect(fixedBetween(entry, "2.0.5", "2.1.0")).toBeNull();
  });
});
