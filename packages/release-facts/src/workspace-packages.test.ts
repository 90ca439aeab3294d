import { beforeAll, describe, expect, it } from "vitest";
import { readReleaseFacts } from "./read-release-facts.ts";
import type { ReleaseFacts } from "./release-facts.ts";
import { scratchRepository } from "./testing/scratch-repository.ts";

/** Makes a workspace with the crates `cart`, `list` and `tree` of version 1.0.1, and `other` of another version. */
function workspace() {
  const repo = scratchRepository();
  const write = (version: string) => {
    repo.write("Cargo.toml", `[workspace]\nmembers = ["crates/*"]\n[workspace.package]\nversion = "${version}"\n`);
    repo.write(
      "crates/cart/Cargo.toml",
      `[package]\nname = "cart"\nversion.workspace = true\n[dependencies]\nlist = "${version}"\nring = "0.1"\n`,
    );
    repo.write("crates/list/Cargo.toml", `[package]\nname = "list"\nversion = "${version}"\n`);
    repo.write("crates/tree/Cargo.toml", '[package]\nname = "tree"\nversion = { workspace = true }\n');
    repo.write("crates/other/Cargo.toml", '[package]\nname = "other"\nversion = "0.1.0"\n');
    repo.write("examples/try/Cargo.toml", `[package]\nname = "try"\nversion = "${version}"\n`);
    repo.write("crates/cart/src/lib.rs", `// ${version}\n`);
  };
  write("1.0.0");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  write("1.0.1");
  repo.commit("Go on");
  repo.git("tag", "v1.0.1");
  return repo;
}

/** Returns the facts of the release of a workspace, with an advisory about each of these packages, whose id is the package's name. */
async function factsOf(names: readonly string[]): Promise<ReleaseFacts> {
  using repo = workspace();
  const events = [{ introduced: "0" }, { fixed: "1.0.1" }];
  const advisories = names.map((name) => ({
    id: name,
    affected: [{ package: { ecosystem: "crates.io", name }, ranges: [{ type: "SEMVER", events }] }],
  }));
  const found = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.0.1", advisories, environment: process.env });
  if (!found.ok) throw new Error(found.message);
  return found.facts;
}

describe("a workspace", () => {
  let facts: ReleaseFacts;
  beforeAll(async () => {
    facts = await factsOf(["cart", "list", "tree", "other", "try"]);
  }, 30_000);

  it.each([
    ["cart", 1],
    ["list", 1],
    ["tree", 1],
    ["other", 0],
    ["try", 0],
  ])("that is released as a whole fixes what an advisory says about %s: %i", (name, fixed) => {
    expect(facts.advisories?.fixed.list.filter(({ id }) => id === name)).toHaveLength(fixed);
    // What the release itself fixes is no step of a dependency besides.
    expect(facts.advisories?.dependencies).toBeUndefined();
  });

  it("hides no step of a dependency behind a manifest that the release adds", async () => {
    using repo = scratchRepository();
    const write = (version: string, ring: string) => {
      repo.write("Cargo.toml", `[package]\nname = "cart"\nversion = "${version}"\n[dependencies]\nring = "${ring}"\n`);
      repo.commit(version);
      repo.git("tag", `v${version}`);
    };
    write("1.0.0", "=0.1.0");
    repo.write("inner/Cargo.toml", '[package]\nname = "ring"\nversion = "1.0.1"\n');
    write("1.0.1", "=0.2.0");
    const events = [{ introduced: "0.2.0" }, { fixed: "0.3.0" }];
    const advisories = [
      { id: "A-1", affected: [{ package: { ecosystem: "crates.io", name: "ring" }, ranges: [{ type: "SEMVER", events }] }] },
    ];
    const found = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.0.1", advisories, environment: process.env });
    if (!found.ok) throw new Error(found.message);
    expect(found.facts.dependencies.list).toEqual([expect.not.objectContaining({ sibling: true })]);
    expect(found.facts.advisories?.dependencies?.list).toMatchObject([{ name: "ring", brought: { list: [{ id: "A-1" }] } }]);
  });

  it("has siblings among its dependencies", () => {
    expect(facts.dependencies.list).toMatchObject([{ name: "list", from: "1.0.0", to: "1.0.1", sibling: true }]);
  });
});
