import { beforeAll, describe, expect, it } from "vitest";
import { readReleaseFacts } from "./read-release-facts.ts";
import { scratchRepository } from "./testing/scratch-repository.ts";

/** The files beside each requirements file, which has a folder of its own. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": {},
  "ruff/": { "pyproject.toml": "[tool.ruff]\nline-length = 100\n" },
  "below/": { "lib/pyproject.toml": '[project]\nname = "one"\n' },
  "pyproject/": { "pyproject.toml": '[project]\nname = "one"\n' },
  "setup/": { "setup.py": 'from setuptools import setup\nsetup(name="one")\n' },
  "cfg/": { "setup.cfg": "[metadata]\nname = one\n" },
  "named/": { "setup.py": 'setup(install_requires=open("requirements.txt").read())\n' },
};

/** Returns how the step of each requirements file is used, with the file's folder. */
async function usesIn(projects: typeof BESIDE): Promise<readonly (readonly [folder: string, use: string])[]> {
  using repo = scratchRepository();
  const list = (version: string) => {
    for (const folder of Object.keys(projects)) repo.write(`${folder}requirements.txt`, `black==${version}\n`);
  };
  for (const [folder, files] of Object.entries(projects))
    for (const [path, content] of Object.entries(files)) repo.write(`${folder}${path}`, content);
  list("22.0");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  list("23.0");
  repo.commit("Move");
  repo.git("tag", "v1.1.0");
  const outcome = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.1.0", environment: process.env });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.facts.dependencies.list.map(({ manifest, name, use }) => [manifest.replace("requirements.txt", ""), `${use} ${name}`]);
}

describe("a requirements file of Python", () => {
  let uses: Awaited<ReturnType<typeof usesIn>>;
  beforeAll(async () => {
    uses = await usesIn(BESIDE);
  }, 30_000);
  const usesBeside = (folder: string) => uses.filter(([of]) => of === folder).map(([, use]) => use);

  it("says what an application needs", () => {
    for (const folder of ["", "ruff/", "below/"]) expect(usesBeside(folder)).toEqual(["runtime black"]);
  });

  it.each(["pyproject/", "setup/", "cfg/"])("is for development beside the manifest of a package in %s", (folder) => {
    expect(usesBeside(folder)).toEqual(["dev black"]);
  });

  it("says what a package needs if the manifest of the package names it", () => {
    expect(usesBeside("named/")).toEqual(["runtime black"]);
  });

  it("at the top of the repository is for development beside the manifest of the package there", async () => {
    expect(await usesIn({ "": { "pyproject.toml": '[project]\nname = "one"\n' } })).toEqual([["", "dev black"]]);
  });
});
