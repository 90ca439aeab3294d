import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeProblems, type Parsed } from "@toolbus/contracts";
import { parse as parseYaml } from "yaml";
import { type Labels, parseLabels, parseProjects, type Projects } from "./label.ts";

/** The folder with the projects, the facts and the labels. */
export const RELEASES = join(import.meta.dirname, "..", "releases");

export function readProjects(folder = RELEASES): Projects {
  return valueOf("projects.yaml", parseProjects(parseYaml(readFileSync(join(folder, "projects.yaml"), "utf8"))));
}

export function readLabels(project: string, folder = RELEASES): Labels {
  const file = join("labels", `${project}.yaml`);
  return valueOf(file, parseLabels(parseYaml(readFileSync(join(folder, file), "utf8"))));
}

/** Returns the names of the files with facts of a project. */
export function factsFiles(project: string, folder = RELEASES): readonly string[] {
  return readdirSync(join(folder, "facts", project)).toSorted();
}

/** Returns the stored facts of a release as JSON text. */
export function readFactsText(project: string, release: string, folder = RELEASES): string {
  return readFileSync(join(folder, "facts", project, factsFileOf(release)), "utf8");
}

/** Returns the file of a release. The release of a monorepo has signs that a file's name should not have. */
export function factsFileOf(release: string): string {
  return `${release.replaceAll(/[^\w.-]+/g, "-").replace(/^-/, "")}.json`;
}

/** Returns the verdicts that were stored before the rules over facts existed: by project and release, the severity and the kinds of the findings. */
export function readVerdictsBefore(folder = RELEASES): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return JSON.parse(readFileSync(join(folder, "verdicts-before.json"), "utf8"));
}

function valueOf<T>(file: string, parsed: Parsed<T>): T {
  if (!parsed.ok) throw new Error(`${file}: ${describeProblems(parsed.problems)}`);
  return parsed.value;
}
