import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type Advisory,
  type AdvisorySubjects,
  compactFacts,
  parseReleaseFacts,
  readAdvisories,
  type ReleaseFacts,
} from "@toolbus/release-facts";
import type { Projects } from "../label.ts";
import { factsFileOf, readProjects, RELEASES } from "../releases-folder.ts";

const HELP = `Writes packages/labelled-releases/releases/facts from clones of the projects.

Usage: node packages/labelled-releases/src/regenerate/main.ts --clones <folder> [--project <name>] [--advisories <folder>]
       [--releases <folder>]

  --clones <folder>   a folder with one clone of each project, named after the project
  --project <name>    only this project
  --advisories <folder>  a folder with a folder of OSV files for each project, named after the project; without it, the facts keep what they say
                         about advisories
  --releases <folder>    a folder with another projects.yaml, into which the facts are written; without it, packages/labelled-releases/releases
  --help              this text

packages/labelled-releases/releases/projects.yaml names the projects. Make each clone with its tags and its whole history, for example:

  git clone --bare https://github.com/expressjs/express <folder>/express

The facts contain names, paths, versions, hashes and first lines of commit messages, and no line of source. A later clone gives the same facts, unless
the project moved a tag.
`;

/** A list of advisories that cannot be read. It is above its first use, because this module runs from top to bottom. */
class UnreadList extends Error {
  readonly ok = false;
}

const { values } = parseArgs({
  options: {
    clones: { type: "string" },
    project: { type: "string" },
    advisories: { type: "string" },
    releases: { type: "string" },
    help: { type: "boolean" },
  },
});

if (values.help || values.clones === undefined) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const folder = values.releases ?? RELEASES;
  const projects = projectsOf(folder);
  process.exitCode = projects !== null && (await regenerate(folder, projects, values.clones, values.project, values.advisories)) ? 0 : 1;
}

/** Returns the projects of a folder, or null after a sentence that says what is wrong. */
function projectsOf(releases: string): Projects | null {
  try {
    return readProjects(releases);
  } catch (error) {
    // What the parser of YAML says has the wrong line below the sentence.
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    process.stderr.write(`projects.yaml cannot be used: ${sentence.replace(/^projects\.yaml: /, "").replace(/[.:]$/, "")}.\n`);
    return null;
  }
}

async function regenerate(
  into: string,
  { projects }: Projects,
  clones: string,
  only: string | undefined,
  lists: string | undefined,
): Promise<boolean> {
  let ok = true;
  for (const { project, releases } of projects) {
    if (only !== undefined && only !== project) continue;
    const folder = join(into, "facts", project);
    mkdirSync(folder, { recursive: true });
    const advisories = lists === undefined ? undefined : advisoriesOf(join(lists, project));
    const known = new Set<string>();
    for (const { base, release, package: name } of releases) {
      const file = factsFileOf(release);
      // A release that fails keeps the facts that it has.
      known.add(file);
      const outcome = await read({
        repo: join(clones, project),
        project,
        from: base,
        to: release,
        package: name,
        advisories,
        environment: process.env,
      });
      if (!outcome.ok) {
        ok = false;
        process.stderr.write(`${project} ${release}: ${outcome.message}\n`);
        continue;
      }
      const path = join(folder, file);
      const text = `${JSON.stringify(lists === undefined ? withStored(outcome.facts, path) : withoutOpen(outcome.facts))}\n`;
      writeFileSync(path, text);
      process.stdout.write(`${project} ${release}: ${Buffer.byteLength(text)} bytes\n`);
    }
    for (const file of readdirSync(folder)) if (!known.has(file)) rmSync(join(folder, file));
  }
  return ok;
}

/** A list of advisories that cannot be read is a mistake of the caller, so it is a sentence and no stack. */
async function read(options: Parameters<typeof compactFacts>[0]): Promise<Awaited<ReturnType<typeof compactFacts>> | UnreadList> {
  try {
    return await compactFacts(options);
  } catch (error) {
    if (error instanceof UnreadList) return error;
    throw error;
  }
}

/** The folder may be a whole database, so only what is about a release is kept. */
function advisoriesOf(folder: string): ((about: AdvisorySubjects) => Promise<readonly Advisory[]>) | undefined {
  if (!existsSync(folder)) return undefined;
  return async (about) => {
    const list = await readAdvisories(folder, undefined, { about });
    if (!list.ok) throw new UnreadList(list.message);
    return list.advisories;
  };
}

// A label says what a release changes. A vulnerability that the release leaves open is no change, and most were found years later.
function withoutOpen({ advisories, ...facts }: ReleaseFacts): ReleaseFacts {
  if (advisories === undefined) return facts;
  const { dependencies, ...own } = advisories;
  const fixing = (dependencies?.list ?? []).flatMap(({ brought: _, ...step }) => (step.fixed === undefined ? [] : [step]));
  const kept = dependencies === undefined || fixing.length === 0 ? {} : { dependencies: { omitted: dependencies.omitted, list: fixing } };
  return { ...facts, advisories: { ...own, ...kept, open: { omitted: 0, list: [] } } };
}

/** Facts without a new list keep what they say about advisories. */
function withStored(facts: ReleaseFacts, path: string): ReleaseFacts {
  const stored = existsSync(path) ? parseReleaseFacts(JSON.parse(readFileSync(path, "utf8"))) : null;
  return stored?.ok && stored.value.advisories !== undefined ? { ...facts, advisories: stored.value.advisories } : facts;
}
