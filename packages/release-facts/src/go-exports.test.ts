import { describe, expect, it } from "vitest";
import { readReleaseFacts } from "./read-release-facts.ts";
import { scratchRepository } from "./testing/scratch-repository.ts";

/** Returns the names that a release removes from a package of a Go module with these further files. */
async function removedBeside(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  using repo = scratchRepository();
  for (const [path, content] of Object.entries(files)) repo.write(path, content);
  repo.write("pkg/cart/cart.go", "package cart\n\nfunc Count() int { return 1 }\n\nfunc Gone() int { return 2 }\n");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  repo.write("pkg/cart/cart.go", "package cart\n\nfunc Count() int { return 1 }\n");
  repo.commit("Tidy");
  repo.git("tag", "v1.1.0");
  const outcome = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.1.0", environment: process.env });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.facts.exports.removed.map(({ name }) => name);
}

describe("the exported names of a Go module", () => {
  it("are those of a library", async () => {
    expect(await removedBeside({})).toEqual(["Gone"]);
    expect(await removedBeside({ "cmd/shop/main.go": "package main\n" })).toEqual(["Gone"]);
    expect(await removedBeside({ "main.go": "package mainframe\n" })).toEqual(["Gone"]);
  });

  it("are none if the module is a program, whatever the name of its main file is", async () => {
    expect(await removedBeside({ "main.go": "// The shop.\npackage main\n\nfunc main() {}\n" })).toEqual([]);
    expect(await removedBeside({ "shop.go": "package main\n\nfunc main() {}\n" })).toEqual([]);
  });

  it("are those of a library although a tool that is built under a condition lies beside them", async () => {
    expect(await removedBeside({ "magefile.go": "//go:build mage\n\npackage main\n" })).toEqual(["Gone"]);
    expect(await removedBeside({ "shop_test.go": "package main\n" })).toEqual(["Gone"]);
  });
});
