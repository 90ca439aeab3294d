import { describe, expect, it } from "vitest";
import { registryVersion } from "./registry-version.ts";

const entry = (name: string, version = "1", hash = `sha256-${name}${version}`) => ({ name, version, hash });

describe("the version of a registry", () => {
  const [one, two] = [entry("look_up"), entry("issue_refund")];

  it("changes with every definition that is added, removed or changed", () => {
    const versions = [
      registryVersion([]),
      registryVersion([one]),
      registryVersion([one, two]),
      registryVersion([one, entry("issue_refund", "2")]),
      registryVersion([one, { ...two, hash: "sha256-changed" }]),
    ];
    expect(new Set(versions).size).toBe(versions.length);
    for (const version of versions) expect(version).toMatch(/^[0-9a-f]{16}$/);
  });

  it("is the same for the same definitions in another order", () => {
    expect(registryVersion([one, two])).toBe(registryVersion([two, one]));
  });
});
