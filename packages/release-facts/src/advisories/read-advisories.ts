import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describeProblems } from "@toolbus/contracts";
import { refused, type RefusedFacts, shown } from "../refused-facts.ts";
import { type Advisory, parseAdvisory } from "./osv.ts";

/** The most files, and the most bytes of all of them together, that are read. The export of a large ecosystem has more. */
const MOST_FILES = 50_000;
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_FOLDERS = 5000;

/**
 * Reads the advisories of a file or of a folder with its subfolders. A file has one advisory in the OSV format, a list of them, or an answer of the API of
 * osv.dev. Only files whose names end with .json are read in a folder. Withdrawn advisories are left out. If a file cannot be read, no advisory is
 * returned, because a verdict must not rest on half of a list. Throws the signal's reason when the signal aborts.
 */
export async function readAdvisories(
  place: string,
  signal?: AbortSignal,
): Promise<{ readonly ok: true; readonly advisories: readonly Advisory[] } | RefusedFacts> {
  const files = await filesIn(place, signal);
  if ("problem" in files) return files;
  const advisories: Advisory[] = [];
  let left = MOST_BYTES;
  for (const file of files) {
    signal?.throwIfAborted();
    const bytes = await contentOf(file, left);
    if (bytes === undefined) return wrong(`The file ${shown(file)} of the advisories cannot be read.`);
    if (bytes === null) return tooMany();
    left -= bytes.length;
    const read = advisoriesIn(bytes, file);
    if ("message" in read) return read;
    advisories.push(...read.list.filter(({ withdrawn }) => withdrawn === undefined));
  }
  return { ok: true, advisories };
}

function wrong(message: string): RefusedFacts {
  return refused("bad_advisories", message);
}

function tooMany(): RefusedFacts {
  return wrong(
    `The advisories have more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MB: name a folder with only those of your packages.`,
  );
}

/** Returns the files in a fixed order. */
async function filesIn(place: string, signal: AbortSignal | undefined): Promise<readonly string[] | RefusedFacts> {
  const found = await stat(place).catch(() => undefined);
  if (!found) return wrong(`There is no file and no folder ${shown(place)} with advisories.`);
  if (!found.isDirectory()) return found.isFile() ? [place] : wrong(`${shown(place)} is neither a file nor a folder.`);
  const files: string[] = [];
  const folders = [place];
  for (let at = 0; at < folders.length; at++) {
    signal?.throwIfAborted();
    const folder = folders[at] ?? place;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
    if (!entries) return wrong(`The folder ${shown(folder)} of the advisories cannot be read.`);
    for (const entry of entries) {
      if (entry.isDirectory()) folders.push(path.join(folder, entry.name));
      // A link counts like a file, because a list must not lose an advisory silently. A broken one is refused when it is read.
      else if ((entry.isFile() || entry.isSymbolicLink()) && entry.name.endsWith(".json")) files.push(path.join(folder, entry.name));
    }
    if (files.length > MOST_FILES || folders.length > MOST_FOLDERS) return tooMany();
  }
  return files.length > 0 ? files.toSorted() : wrong(`The folder ${shown(place)} has no file whose name ends with .json.`);
}

/** Returns undefined if the file cannot be read, and null if it has more bytes than are left. */
async function contentOf(file: string, left: number): Promise<Buffer | undefined | null> {
  const found = await stat(file).catch(() => undefined);
  if (found && found.size > left) return null;
  return readFile(file).catch(() => undefined);
}

function advisoriesIn(bytes: Buffer, file: string): { readonly list: readonly Advisory[] } | RefusedFacts {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return wrong(`The file ${shown(file)} of the advisories is not JSON.`);
  }
  const list: Advisory[] = [];
  for (const [at, each] of listIn(value).entries()) {
    const parsed = parseAdvisory(each);
    if (!parsed.ok) return wrong(`Advisory ${at + 1} of ${shown(file)} is not in the OSV format: ${describeProblems(parsed.problems)}.`);
    list.push(parsed.value);
  }
  return { list };
}

/** An answer of osv.dev has its advisories in `vulns`. */
function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === "object" && value !== null && "vulns" in value && Array.isArray(value.vulns)) return value.vulns;
  return [value];
}
