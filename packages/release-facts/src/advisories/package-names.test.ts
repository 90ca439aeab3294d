import { describe, expect, it } from "vitest";
import { readReleaseFacts } from "../read-release-facts.ts";
import { scratchRepository } from "../testing/scratch-repository.ts";

/** Returns whether an advisory about this package is found for a repository with this manifest. */
async function isFound(file: string, text: string, ecosystem: string, name: string, directory?: string): Promise<boolean> {
  using repo = scratchRepository();
  repo.write(directory === undefined ? file : `${directory}/${file}`, text);
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  repo.write("a.txt", "a");
  repo.commit("Go on");
  repo.git("tag", "v1.0.1");
  const events = [{ introduced: "0" }, { fixed: "1.0.1" }];
  const advisories = [{ id: "A-1", affected: [{ package: { ecosystem, name }, ranges: [{ type: "ECOSYSTEM", events }] }] }];
  const found = await readReleaseFacts({
    repo: repo.path,
    from: "v1.0.0",
    to: "v1.0.1",
    package: directory,
    advisories,
    environment: process.env,
  });
  if (!found.ok) throw new Error(found.message);
  return found.facts.advisories?.fixed.list.length === 1;
}

describe("the name of a package", () => {
  it.each([
    ["package.json", '{"name":"@shop/cart"}', "npm", "@shop/cart"],
    ["composer.json", '{"name":"shop/cart"}', "Packagist", "shop/cart"],
    ["Cargo.toml", '[dependencies]\nname = "x"\n[package]\nname = "cart"\n', "crates.io", "cart"],
    ["pyproject.toml", '[project]\nname = "Cart" # the name\n', "PyPI", "cart"],
    ["pyproject.toml", '[tool.poetry]\nname = "cart"\n', "PyPI", "cart"],
    ["setup.cfg", "[metadata]\nname = cart\n", "PyPI", "cart"],
    ["setup.py", 'setup(\n    name="cart",\n)', "PyPI", "cart"],
    ["go.mod", "module example.org/cart/v2\n\ngo 1.22\n", "Go", "example.org/cart/v2"],
  ])("is read from %s: %j", async (file, text, ecosystem, name) => {
    expect(await isFound(file, text, ecosystem, name)).toBe(true);
    expect(await isFound(file, text, ecosystem, `${name}2`)).toBe(false);
  });

  it("is that of the package of a monorepo", async () => {
    expect(await isFound("package.json", '{"name":"cart"}', "npm", "cart", "packages/cart")).toBe(true);
  });

  it("is not known if the manifest is broken", async () => {
    expect(await isFound("package.json", "{", "npm", "cart")).toBe(false);
  });
});
