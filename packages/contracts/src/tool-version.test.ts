import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "./tool-definition.ts";
import { compareVersions, preferredVersion } from "./tool-version.ts";

describe("versions of a tool", () => {
  it.each([
    ["1", "2"],
    ["2", "10"],
    ["v2", "v3"],
    ["v9", "10"],
    ["1.9", "1.10"],
    ["1", "1.1"],
    ["2.0.0-rc1", "2.0.0"],
    ["2.0.0-beta2", "2.0.0-beta10"],
    ["2.0.0-beta2", "2.0.0-rc1"],
    ["2.0.0", "2.0.1-rc1"],
    ["2026-09-30", "2026-11-02"],
    ["99999999999999999998", "99999999999999999999"],
  ])("sort %s before %s", (older, newer) => {
    expect(Math.sign(compareVersions(older, newer))).toBe(-1);
    expect(Math.sign(compareVersions(newer, older))).toBe(1);
  });

  it("that are equivalent still have one fixed order", () => {
    expect(compareVersions("1.0", "1.0")).toBe(0);
    expect(compareVersions("1.0", "01.0")).toBe(-compareVersions("01.0", "1.0"));
    expect(compareVersions("1.0", "01.0")).not.toBe(0);
  });

  it("sort the same whatever order they come in", () => {
    const sorted = ["1", "1.1", "2-rc1", "2", "2.0.1", "v3", "10"];
    for (let turn = 0; turn < sorted.length; turn++)
      expect([...sorted.slice(turn), ...sorted.slice(0, turn)].toSorted(compareVersions)).toEqual(sorted);
  });
});

describe("the preferred version", () => {
  const preferred = (...all: readonly Pick<ToolDefinition, "version" | "deprecated">[]) =>
    preferredVersion(all, (one) => one as ToolDefinition)?.version;
  const deprecated = { note: "Use the next one." };

  it("is the newest by number, whichever was registered last", () => {
    expect(preferred({ version: "10" }, { version: "9" })).toBe("10");
    expect(preferred()).toBeUndefined();
  });

  it("is a deprecated one only if there is no other", () => {
    expect(preferred({ version: "2" }, { version: "3", deprecated })).toBe("2");
    expect(preferred({ version: "2", deprecated }, { version: "3", deprecated })).toBe("3");
  });
});
