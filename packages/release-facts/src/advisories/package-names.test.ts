import { describe, expect, it } from "vitest";
import { readReleaseFacts } from "../read-release-facts.ts";
import { scratchRepository } from "../testing/scratch-repository.ts";

/** Returns which of these packages an advisory is found for, in a repository with this manifest. */
async function foundIn(
  file: string,
  text: string,
  ecosystem: string,
  names: readonly string[],
  directory?: string,
): Promise<readonly string[]> {
  using repo = scratchRepository();
  repo.write(directory === undefined ? file : `${directory}/${file}`, text);
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  repo.write("a.txt", "a");
  repo.commit("Go on");
  repo.git("tag", "v1.0.1");
  const events = [{ introduced: "0" }, { fixed: "1.0.1" }];
  const advisories = names.map((name) => ({
    id: name,
    affected: [{ package: { ecosystem, name }, ranges: [{ type: "ECOSYSTEM", events }] }],
  }));
  const found = await readReleaseFacts({
    repo: repo.path,
    from: "v1.0.0",
    to: "v1.0.1",
    package: directory,
    advisories,
    environment: process.env,
  });
  if (!found.ok) throw new Error(found.message);
  return (found.facts.advisories?.fixed.list ?? []).map(({ id }) => id);
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
    expect(await foundIn(file, text, ecosystem, [name, `${name}2`])).toEqual([name]);
  });

  it("is that of the package of a monorepo", async () => {
    expect(await foundIn("package.json", '{"name":"cart"}', "npm", ["cart"], "packages/cart")).toEqual(["cart"]);
  });

  it("is not known if the manifest is broken", async () => {
    expect(await foundIn("package.json", "{", "npm", ["cart"])).toEqual([]);
  });
});
