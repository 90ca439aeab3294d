import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { describeProblems } from "@toolbus/contracts";
import { refused, type RefusedFacts, shown } from "../refused-facts.ts";
import { namesChange } from "./advisory-commits.ts";
import { type AdvisorySubjects, isAboutOneOf } from "./advisory-subjects.ts";
import { type Advisory, parseAdvisory } from "./osv.ts";

/** The most files that are read. The largest database of an ecosystem has about 250,000. */
const MOST_FILES = 500_000;
const MOST_FOLDERS = 5000;
/** The most bytes of one file. Only one file and what is kept are in memory. */
const LARGEST_FILE = 256 * 1024 * 1024;
/** The most bytes of the files of which something is kept. */
const MOST_KEPT = 256 * 1024 * 1024;
/** How many files are read at the same time, and how many bytes of them: a larger file is read alone. */
const AT_ONCE = 64;
const SMALL_FILE = 1024 * 1024;

export interface ReadAdvisoriesOptions {
  /** Keeps only advisories that name one of these packages or commits. Every file is checked nevertheless. */
  readonly about?: AdvisorySubjects | undefined;
  /** Is called often while the files are read. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
}

/**
 * Reads the advisories of a file or of a folder with its subfolders, such as a whole database of an ecosystem. A file has one advisory in the OSV format, a
 * list of them, or an answer of the API of osv.dev. Only files whose names end with .json are read in a folder, and files with one advisory a line are
 * refused. Withdrawn advisories are left out. If a file cannot be read, no advisory is returned, because a verdict must not rest on half of a list. Throws
 * the signal's reason when the signal aborts.
 */
export async function readAdvisories(
  place: string,
  signal?: AbortSignal,
  { about, onProgress }: ReadAdvisoriesOptions = {},
): Promise<{ readonly ok: true; readonly advisories: readonly Advisory[] } | RefusedFacts> {
  const files = await filesIn(place, signal);
  if ("problem" in files) return files;
  const isWanted = about === undefined ? () => true : isAboutOneOf(about);
  const advisories: Advisory[] = [];
  let left = MOST_KEPT;
  for (let at = 0; at < files.length; at += AT_ONCE) {
    signal?.throwIfAborted();
    onProgress?.(at, files.length);
    const some = files.slice(at, at + AT_ONCE);
    const small = await Promise.all(some.map(smallContentOf));
    for (const [index, file] of some.entries()) {
      const bytes = small[index] === "large" ? await contentOf(file) : small[index];
      if (bytes === undefined)
        return wrong(
          `The file ${shown(file)} of the advisories cannot be read: check that it is an ordinary file and that you may read it.`,
        );
      if (bytes === null) return wrong(`The file ${shown(file)} of the advisories has more than ${LARGEST_FILE / 1024 / 1024} MB.`);
      const read = advisoriesIn(bytes, file);
      if ("message" in read) return read;
      const kept = read.list.filter((advisory) => advisory.withdrawn === undefined && isWanted(advisory));
      if (kept.length > 0) left -= bytes.length;
      if (left < 0) return tooMany();
      for (const advisory of kept) advisories.push(withoutTexts(advisory));
    }
  }
  return { ok: true, advisories };
}

function wrong(message: string): RefusedFacts {
  return refused("bad_advisories", message);
}

function tooMany(): RefusedFacts {
  return wrong(
    `The advisories have more than ${MOST_FILES} files or ${MOST_KEPT / 1024 / 1024} MB: name a folder with only those of your packages.`,
  );
}

/** Returns the files in a fixed order. */
async function filesIn(place: string, signal: AbortSignal | undefined): Promise<readonly string[] | RefusedFacts> {
  const found = await stat(place).catch(() => undefined);
  if (!found) return wrong(`There is no file and no folder ${shown(place)} with advisories.`);
  if (!found.isDirectory()) return found.isFile() ? [place] : wrong(`${shown(place)} is neither a file nor a folder.`);
  const files: string[] = [];
  const folders = [place];
  // A link may lead back to a folder above it.
  const seen = new Set<string>();
  for (let at = 0; at < folders.length; at++) {
    signal?.throwIfAborted();
    const folder = folders[at] ?? place;
    const real = await realpath(folder).catch(() => folder);
    if (seen.has(real)) continue;
    seen.add(real);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
    if (!entries) return wrong(`The folder ${shown(folder)} of the advisories cannot be read: check that you may read it.`);
    for (const entry of entries) {
      const own = path.join(folder, entry.name);
      // A link counts like what it names, because a list must not lose an advisory silently. A broken one is refused when it is read.
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(own)))) folders.push(own);
      else if (/\.json$/i.test(entry.name)) files.push(own);
      else if (/\.(?:jsonl|ndjson)$/i.test(entry.name)) return wrong(linesOf(own));
    }
    if (files.length > MOST_FILES || folders.length > MOST_FOLDERS) return tooMany();
  }
  return files.length > 0
    ? files.toSorted()
    : wrong(`The folder ${shown(place)} has no file whose name ends with .json: unpack archives, and save other forms as JSON.`);
}

async function isFolder(place: string): Promise<boolean> {
  return (await stat(place).catch(() => undefined))?.isDirectory() ?? false;
}

function linesOf(file: string): string {
  return `The file ${shown(file)} of the advisories has one JSON document on each line: save them as one JSON list.`;
}

/** Returns undefined if the file cannot be read, as a device or a pipe, which may never end. */
async function smallContentOf(file: string): Promise<Buffer | undefined | "large"> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  return found.size > SMALL_FILE ? "large" : readFile(file).catch(() => undefined);
}

/** Returns undefined if the file cannot be read, and null if it is too large. */
async function contentOf(file: string): Promise<Buffer | undefined | null> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  if (found.size > LARGEST_FILE) return null;
  return readFile(file).catch(() => undefined);
}

function advisoriesIn(bytes: Buffer, file: string): { readonly list: readonly Advisory[] } | RefusedFacts {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const value = jsonIn(text);
  if (value === undefined) return wrong(notJson(bytes, text, file));
  if (hasMorePages(value))
    return wrong(`The file ${shown(file)} is one page of an answer of osv.dev, and more follow: ask for them with its next_page_token.`);
  const list: Advisory[] = [];
  for (const [at, each] of listIn(value).entries()) {
    const parsed = parseAdvisory(each);
    if (!parsed.ok) return wrong(`Advisory ${at + 1} of ${shown(file)} is not in the OSV format: ${describeProblems(parsed.problems)}.`);
    list.push(parsed.value);
  }
  return { list };
}

/** Returns undefined if the text is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Says what a file is instead of JSON, and what to do. */
function notJson(bytes: Buffer, text: string, file: string): string {
  if (bytes.subarray(0, 4).toString("latin1") === "PK\u0003\u0004")
    return `The file ${shown(file)} of the advisories is a ZIP archive: unpack it and name the folder.`;
  if (text.trim() === "") return `The file ${shown(file)} of the advisories is empty: get it again or remove it.`;
  const [first = "", second = ""] = text.split("\n", 2);
  if (second.trim() !== "" && jsonIn(first) !== undefined && jsonIn(second) !== undefined) return linesOf(file);
  return `The file ${shown(file)} of the advisories is not JSON in UTF-8: get it again, or save it in this form.`;
}

function hasMorePages(value: unknown): boolean {
  const token: unknown = typeof value === "object" && value !== null && "next_page_token" in value ? value.next_page_token : undefined;
  return typeof token === "string" && token !== "";
}

/** An answer of osv.dev has its advisories in `vulns`. */
function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === "object" && value !== null && "vulns" in value && Array.isArray(value.vulns)) return value.vulns;
  return [value];
}

/** Keeps what the facts need. Most of an advisory is text. */
function withoutTexts({ id, aliases, published, affected, references, database_specific: specific }: Advisory): Advisory {
  const severity: unknown = typeof specific === "object" && specific !== null && "severity" in specific ? specific.severity : undefined;
  return {
    id,
    ...(aliases === undefined ? {} : { aliases }),
    ...(published === undefined ? {} : { published }),
    ...(affected === undefined
      ? {}
      : {
          affected: affected.map(({ package: about, ranges, versions }) => ({
            ...(about === undefined ? {} : { package: { ecosystem: about.ecosystem, name: about.name } }),
            ...(ranges === undefined ? {} : { ranges }),
            ...(versions === undefined ? {} : { versions }),
          })),
        }),
    ...(references === undefined ? {} : { references: references.filter(({ url }) => namesChange(url)) }),
    ...(severity === undefined ? {} : { database_specific: { severity } }),
  };
}
