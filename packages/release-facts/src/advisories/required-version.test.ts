import { describe, expect, it } from "vitest";
import { requiredVersion } from "./required-version.ts";

const read = (requirement: string, ecosystem: string) => {
  const found = requiredVersion(requirement, ecosystem);
  return found === null ? null : `${found.exact ? "=" : ">="}${found.version}`;
};

describe("the version that a requirement stands for", () => {
  it.each([
    ["v1.2.3", "Go", "=1.2.3"],
    ["v0.0.0-20210711020723-a769d52b0f97", "Go", "=0.0.0-20210711020723-a769d52b0f97"],
    ["1.2.3", "npm", "=1.2.3"],
    ["1.2", "npm", ">=1.2"],
    ["^1.2.3", "npm", ">=1.2.3"],
    ["~1.2.3", "npm", ">=1.2.3"],
    [">= 1.2.3 < 2", "npm", ">=1.2.3"],
    ["1.2.3", "crates.io", ">=1.2.3"],
    ["=1.2.3", "crates.io", "=1.2.3"],
    ["==1.2.3", "PyPI", "=1.2.3"],
    [">=1.2,!=1.3,<2", "PyPI", ">=1.2"],
    ["~=1.2", "PyPI", ">=1.2"],
    ["~> 3.1", "RubyGems", ">=3.1"],
  ])("is sure for %s of %s", (requirement, ecosystem, expected) => {
    expect(read(requirement, ecosystem)).toBe(expected);
  });

  it.each([
    "*",
    "",
    "latest",
    "1.x",
    "1.2.*",
    "==1.2.*",
    ">1.2",
    "<2",
    "^1.0.0 || ^2.0.0",
    "1.0.0 - 2.0.0",
    ">=1, >=2",
    "workspace:^1.0.0",
  ])("is not sure for %s", (requirement) => {
    for (const ecosystem of ["npm", "PyPI", "crates.io"]) expect(read(requirement, ecosystem)).toBeNull();
  });
});
