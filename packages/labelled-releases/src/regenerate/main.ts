import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compactFacts } from "@toolbus/release-facts";
import { factsFileOf, readProjects, RELEASES } from "../releases-folder.ts";

const HELP = `Writes packages/labelled-releases/releases/facts from clones of the projects.

Usage: node packages/labelled-releases/src/regenerate/main.ts --clones <folder> [--project <name>]

  --clones <folder>   a folder with one clone of each project, named after the project
  --project <name>    only this project
  --help              this text

packages/labelled-releases/releases/projects.yaml names the projects. Make each clone with its tags and its whole history, for example:

  git clone --bare https://github.com/expressjs/express <folder>/express

The facts contain names, paths, versions, hashes and first lines of commit messages, and no line of source. A later clone gives the same facts, unless
the project moved a tag.
`;

const { values } = parseArgs({ options: { clones: { type: "string" }, project: { type: "string" }, help: { type: "boolean" } } });

if (values.help || values.clones === undefined) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = (await regenerate(values.clones, values.project)) ? 0 : 1;
}

async function regenerate(clones: string, only: string | undefined): Promise<boolean> {
  let ok = true;
  for (const { project, releases } of readProjects().projects) {
    if (only !== undefined && only !== project) continue;
    const folder = join(RELEASES, "facts", project);
    mkdirSync(folder, { recursive: true });
    const written = new Set<string>();
    for (const { base, release, package: name } of releases) {
      const outcome = await compactFacts({
        repo: join(clones, project),
        project,
        from: base,
        to: release,
        package: name,
        environment: process.env,
      });
      if (!outcome.ok) {
        ok = false;
        process.stderr.write(`${project} ${release}: ${outcome.message}\n`);
        continue;
      }
      const file = factsFileOf(release);
      written.add(file);
      writeFileSync(join(folder, file), outcome.text);
      process.stdout.write(`${project} ${release}: ${Buffer.byteLength(outcome.text)} bytes\n`);
    }
    for (const file of readdirSync(folder)) if (!written.has(file)) rmSync(join(folder, file));
  }
  return ok;
}
