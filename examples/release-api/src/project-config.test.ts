import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@toolbus/release-facts/testing";
import { describe, expect, it } from "vitest";
import { projectsOf, readProjects } from "./project-config.ts";

async function projectsIn(content: unknown) {
  using folder = scratchFolder();
  const file = join(folder.path, "projects.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  const outcome = await readProjects(file);
  return outcome.ok ? { folder: folder.path, projects: outcome.projects } : outcome.message.replace(file, "FILE");
}

const named = (more: object) => ({ projects: [{ name: "shop", repo: "shop", ...more }] });

describe("a file of projects", () => {
  it("names repositories and files relative to its folder", async () => {
    const read = await projectsIn(named({ releases: [{ to: "v1", junit: "junit.xml", ci: ["a.json"] }] }));
    if (typeof read === "string") throw new Error(read);
    const at = (name: string) => join(read.folder, name);
    expect(read.projects).toMatchObject([
      { name: "shop", repo: at("shop"), releases: [{ to: "v1", junit: at("junit.xml"), ci: [at("a.json")] }] },
    ]);
    expect(await projectsIn(named({}))).toMatchObject({ projects: [{ releases: [{ ci: [] }] }] });
  });

  it.each([
    ["no JSON", '{"projects":', "FILE is not JSON."],
    ["a list", [], "FILE: the file must be an object."],
    ["no projects", { projects: [] }, "FILE: projects must be a list of 1 to 50 entries."],
    [
      "an unknown field",
      { projects: [{ name: "a", repo: "b", url: "c" }] },
      'FILE: "url" in project 1 is not a known field. Known are name, repo, releases.',
    ],
    ["a name with a slash", { projects: [{ name: "a/b", repo: "b" }] }, expect.stringMatching(/^FILE: project 1 needs a "name": /)],
    ["no repository", { projects: [{ name: "a" }] }, 'FILE: project 1 needs "repo", the folder of its repository.'],
    ["a file that is a number", named({ releases: [{ junit: 1 }] }), 'FILE: "junit" in release 1 of project 1 must be a text.'],
    ["a CI file that is no text", named({ releases: [{ ci: [1] }] }), 'FILE: "ci" in release 1 of project 1 must be a list of files.'],
    [
      "two equal names",
      {
        projects: [
          { name: "a", repo: "b" },
          { name: "a", repo: "c" },
        ],
      },
      'FILE: there are two projects with the name "a".',
    ],
  ])("is refused with one sentence if it has %s", async (_what, content, message) => {
    expect(await projectsIn(content)).toEqual(message);
  });
});

describe("options of the form NAME=PATH", () => {
  it("name repositories, whose paths may have a sign of equality", () => {
    expect(projectsOf(["shop=../a=b", "bank=/bank"])).toEqual({
      ok: true,
      projects: [
        { name: "shop", repo: "../a=b", releases: [{}] },
        { name: "bank", repo: "/bank", releases: [{}] },
      ],
    });
  });

  it.each(["shop", "=x", "shop=", "a b=x", "../x=y"])("are refused with one sentence if they are %s", (option) => {
    expect(projectsOf([option])).toMatchObject({ ok: false, message: expect.stringMatching(/^--project must be NAME=PATH, not .+\.$/) });
  });
});
