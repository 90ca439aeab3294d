import { describe, expect, it } from "vitest";
import { packageInTag } from "./package-directory.ts";
import { firstVersionIn, mayBreak, seriesOf, stepOf, versionOf } from "./version-step.ts";

describe("version step", () => {
  it.each([
    ["v1.2.3", "1.2.3", "v"],
    ["R_2_6_1", "2.6.1", "R_"],
    ["@apollo/server@4.10.0-rc.1", "4.10.0-rc.1", "@apollo/server@"],
    ["2.0.0a1", "2.0.0a1", ""],
    ["axum-v0.6", "0.6", "axum-v"],
    ["v2", "2", "v"],
  ])("reads the version of the tag %s", (tag, text, series) => {
    expect(versionOf(tag)?.text).toBe(text);
    expect(seriesOf(tag)).toBe(series);
  });

  it.each([
    ["1.2.3", "2.0.0", "major", true],
    ["1.2.3", "1.3.0", "minor", false],
    ["0.2.3", "0.3.0", "minor", true],
    ["1.2.3", "1.2.4", "patch", false],
    ["2.0.0-rc.1", "2.0.0", "pre", false],
    ["1.2.3", "1.2.3", "none", false],
    ["1.2.3", "1.2.2", "back", false],
    ["v1", "v2", "major", true],
    ["v2", "v2.1", "minor", false],
  ])("from %s to %s is %s", (from, to, step, breaks) => {
    expect(stepOf(versionOf(from), versionOf(to))).toBe(step);
    expect(mayBreak(stepOf(versionOf(from), versionOf(to)), versionOf(from))).toBe(breaks);
  });

  it("does not guess: a name without a version has an unknown step", () => {
    expect(versionOf("main")).toBeNull();
    expect(versionOf("build-20241129")).toBeNull();
    expect(stepOf(versionOf("main"), versionOf("v1.0.0"))).toBe("unknown");
  });

  it.each([
    ["^1.2.0", "1.2.0"],
    ["~> 3.1", "3.1"],
    [">=2,<3", "2"],
    ["workspace:*", undefined],
  ])("reads the first version of the requirement %s", (requirement, text) => {
    expect(firstVersionIn(requirement)?.text).toBe(text);
  });

  it.each([
    ["@sveltejs/kit@2.1.0", "@sveltejs/kit"],
    ["axum-v0.6.0", "axum"],
    ["sub/dir/v1.2.3", "sub/dir"],
    ["v1.2.3", null],
    ["R_2_6_1", null],
    ["main", null],
  ])("finds the package in the tag %s", (tag, name) => {
    expect(packageInTag(tag)).toBe(name);
  });
});
