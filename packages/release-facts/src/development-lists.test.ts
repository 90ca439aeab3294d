import { describe, expect, it } from "vitest";
import { readReleaseFacts } from "./read-release-facts.ts";
import { scratchRepository } from "./testing/scratch-repository.ts";

/** Returns how a step of a requirements file is used in a project with these further files. */
async function useBeside(files: Readonly<Record<string, string>>, list = "requirements.txt"): Promise<readonly string[]> {
  using repo = scratchRepository();
  for (const [path, content] of Object.entries(files)) repo.write(path, content);
  repo.write(list, "black==22.0\n");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  repo.write(list, "black==23.0\n");
  repo.commit("Move");
  repo.git("tag", "v1.1.0");
  const outcome = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.1.0", environment: process.env });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.facts.dependencies.list.map(({ name, use }) => `${use} ${name}`);
}

describe("a requirements file of Python", () => {
  it("says what an application needs", async () => {
    expect(await useBeside({})).toEqual(["runtime black"]);
    expect(await useBeside({ "pyproject.toml": "[tool.ruff]\nline-length = 100\n" })).toEqual(["runtime black"]);
    expect(await useBeside({ "lib/pyproject.toml": '[project]\nname = "one"\n' })).toEqual(["runtime black"]);
  });

  it.each([
    ["pyproject.toml", '[project]\nname = "one"\n'],
    ["setup.py", 'from setuptools import setup\nsetup(name="one")\n'],
    ["setup.cfg", "[metadata]\nname = one\n"],
  ])("is for development beside %s of a package", async (path, content) => {
    expect(await useBeside({ [path]: content })).toEqual(["dev black"]);
  });

  it("says what a package needs if the manifest of the package names it", async () => {
    expect(await useBeside({ "setup.py": 'setup(install_requires=open("requirements.txt").read())\n' })).toEqual(["runtime black"]);
  });

  it("in a folder of its own belongs to the manifest beside it", async () => {
    const manifest = { "lib/pyproject.toml": '[project]\nname = "one"\n' };
    expect(await useBeside(manifest, "lib/requirements.txt")).toEqual(["dev black"]);
  });
});
