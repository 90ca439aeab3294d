import path from "node:path";
import type { ReleaseFiles } from "./evidence-files.ts";
import { type Fields, fieldsOf, listOf, parseJson, readBounded } from "@toolbus/release-facts/measurements";

/** One repository with the releases that the API serves. */
export interface ProjectConfig {
  readonly name: string;
  readonly repo: string;
  readonly releases: readonly ReleaseConfig[];
}

export interface ReleaseConfig extends ReleaseFiles {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly package?: string | undefined;
}

export type ProjectsOutcome =
  | { readonly ok: true; readonly projects: readonly ProjectConfig[] }
  | { readonly ok: false; readonly message: string };

const MAX_BYTES = 256 * 1024;
const MOST_PROJECTS = 50;
const MOST_RELEASES = 50;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** Reads a file that names several projects. Its paths are relative to its own folder. Anything unknown in it is refused with one sentence. */
export async function readProjects(file: string): Promise<ProjectsOutcome> {
  const read = await readBounded(file, MAX_BYTES);
  if (!read.ok) return read;
  const json = parseJson(read.text);
  if (!json.ok) return { ok: false, message: `${file} is not JSON.` };
  try {
    const root = objectOf(json.value, ["projects"], "the file");
    const projects = some(root["projects"], MOST_PROJECTS, "projects").map((one, at) => projectOf(one, at, path.dirname(file)));
    return checked(projects, file);
  } catch (error) {
    if (error instanceof ConfigFault) return { ok: false, message: `${file}: ${error.message}` };
    throw error;
  }
}

/** Parses options of the form NAME=PATH. Each project serves its newest release. */
export function projectsOf(options: readonly string[]): ProjectsOutcome {
  const projects: ProjectConfig[] = [];
  for (const option of options) {
    const [, name = "", repo = ""] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
    if (repo === "" || !NAME.test(name))
      return { ok: false, message: `--project must be NAME=PATH, not "${option.slice(0, 100)}": ${NAMES}` };
    projects.push({ name, repo, releases: [{}] });
  }
  return checked(projects, "--project");
}

const NAMES = "a name has 1 to 40 letters, digits, dots, dashes or underscores.";

function checked(projects: readonly ProjectConfig[], where: string): ProjectsOutcome {
  const twice = projects.find(({ name }, at) => projects.findIndex((other) => other.name === name) !== at);
  return twice ? { ok: false, message: `${where}: there are two projects with the name "${twice.name}".` } : { ok: true, projects };
}

class ConfigFault extends Error {}

function projectOf(value: unknown, at: number, folder: string): ProjectConfig {
  const place = `project ${at + 1}`;
  const { name, repo, releases = [{}] } = objectOf(value, ["name", "repo", "releases"], place);
  if (typeof name !== "string" || !NAME.test(name)) throw new ConfigFault(`${place} needs a "name": ${NAMES}`);
  if (typeof repo !== "string" || repo === "") throw new ConfigFault(`${place} needs "repo", the folder of its repository.`);
  return {
    name,
    repo: path.resolve(folder, repo),
    releases: some(releases, MOST_RELEASES, `releases of ${place}`).map((one, n) => releaseOf(one, `release ${n + 1} of ${place}`, folder)),
  };
}

const TEXTS = ["from", "to", "package"] as const;
const FILES = ["junit", "coverage", "metrics", "traces", "advisories"] as const;

function releaseOf(value: unknown, place: string, folder: string): ReleaseConfig {
  const fields = objectOf(value, [...TEXTS, ...FILES, "ci"], place);
  const text = (name: string): string | undefined => {
    const given = fields[name];
    if (given === undefined || (typeof given === "string" && given !== "")) return given;
    throw new ConfigFault(`"${name}" in ${place} must be a text.`);
  };
  const file = (name: string): string | undefined => {
    const given = text(name);
    return given === undefined ? undefined : path.resolve(folder, given);
  };
  const ci = fields["ci"] === undefined ? [] : some(fields["ci"], 20, `ci in ${place}`);
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, text(name)])),
    ...Object.fromEntries(FILES.map((name) => [name, file(name)])),
    ci: ci.map((one) => {
      if (typeof one !== "string" || one === "") throw new ConfigFault(`"ci" in ${place} must be a list of files.`);
      return path.resolve(folder, one);
    }),
  };
}

function objectOf(value: unknown, known: readonly string[], place: string): Fields {
  const fields = fieldsOf(value);
  if (!fields) throw new ConfigFault(`${place} must be an object.`);
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ConfigFault(`"${unknown.slice(0, 60)}" in ${place} is not a known field. Known are ${known.join(", ")}.`);
  return fields;
}

function some(value: unknown, most: number, what: string): readonly unknown[] {
  const list = listOf(value);
  if (!list || list.length === 0 || list.length > most) throw new ConfigFault(`${what} must be a list of 1 to ${most} entries.`);
  return list;
}
