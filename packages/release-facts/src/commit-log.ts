import { compare, line } from "./clean-text.ts";
import { readMessage } from "./commit-message.ts";
import { kindOfPath } from "./file-kind.ts";
import type { Git } from "./git-command.ts";
import { type CommitFacts, type FileKind, fileKinds } from "./release-facts.ts";
import { utc } from "./release-range.ts";

/** The most commits whose messages are read. */
const MOST_READ = 3000;

/** The commits of a release. If there are too many, those that say something special are kept first, and then the newest. */
export interface CommitList {
  readonly total: number;
  readonly omitted: number;
  readonly list: CommitFacts[];
}

/** Every commit of a release, as far as their messages are read. */
export interface AllCommits {
  readonly total: number;
  readonly list: readonly CommitFacts[];
}

/** Reads the commits that `head` has and `base` has not, newest first. In a monorepo only those that touch the package's folder. */
export async function readCommits(git: Git, base: string, head: string, directory: string | null): Promise<AllCommits> {
  const range = [`${base}..${head}`, "--", ...(directory === null ? [] : [directory])];
  const log = ["log", `--max-count=${MOST_READ}`, "--no-color", "--no-notes", "--topo-order"];
  const output = await git.run([...log, "-z", "--format=tformat:%H%x00%cI%x00%P%x00%s%x00%b", ...range]);
  const touched = parseNumbered(
    (await git.run([...log, "--numstat", "--no-renames", "--format=tformat:%x01%H", ...range])).toString("utf8"),
  );
  const fields = output.toString("utf8").split("\0");
  const all: CommitFacts[] = [];
  for (let at = 0; at + 4 < fields.length; at += 5) {
    const [hash = "", date = "", parents = "", subject = "", body = ""] = fields.slice(at, at + 5);
    all.push({
      hash: hash.slice(0, 12),
      date: utc(date),
      subject: line(subject, 160) || "(no subject)",
      parents: parents === "" ? 0 : parents.split(" ").length,
      ...readMessage(subject, body),
      ...areasOf(touched.get(hash) ?? []),
    });
  }
  // Only if the log was cut, git must count.
  const total = all.length < MOST_READ ? all.length : Number(await git.text(["rev-list", "--count", ...range]));
  const hashes = new Set(all.map(({ hash }) => hash));
  const marked = all.map((commit) => (isInside(commit, hashes) ? { ...commit, revertsInRelease: true as const } : commit));
  return { total, list: marked };
}

/** Returns the commits that the facts list. Those that an entry of a changelog names are kept early. */
export function listedCommits({ total, list: all }: AllCommits, most: number, named: ReadonlySet<string>): CommitList {
  const list = kept(all, most, named);
  return { total, omitted: total - list.length, list };
}

/**
 * Parses the paths of each commit. Git quotes every path with a control character, so a line that begins with the byte 1 is never a path.
 */
export function parseTouched(output: string): ReadonlyMap<string, readonly string[]> {
  return byCommit(output, unquoted);
}

/** A file of a commit, with its inserted plus deleted lines. */
interface TouchedFile {
  readonly path: string;
  readonly lines: number;
}

/** Parses the files of each commit with their numbers of lines, in the same way. */
export function parseNumbered(output: string): ReadonlyMap<string, readonly TouchedFile[]> {
  return byCommit(output, (text) => {
    const [added = "", deleted = "", ...path] = text.split("\t");
    return { path: unquoted(path.join("\t")), lines: (Number(added) || 0) + (Number(deleted) || 0) };
  });
}

function byCommit<T>(output: string, read: (text: string) => T): ReadonlyMap<string, readonly T[]> {
  const touched = new Map<string, T[]>();
  let items: T[] = [];
  for (const text of output.split("\n")) {
    if (text.startsWith("\u0001")) {
      items = [];
      touched.set(text.slice(1), items);
    } else if (text !== "" && items.length < 5000) items.push(read(text));
  }
  return touched;
}

/** Undoes git's quoting of a path with special characters: octal escapes of UTF-8 bytes and a few letters. */
export function unquoted(path: string): string {
  if (!path.startsWith('"')) return path;
  const letters: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 };
  const bytes: Buffer[] = [];
  for (const [part] of path.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) {
    if (!part.startsWith("\\")) bytes.push(Buffer.from(part));
    else if (part.length === 4) bytes.push(Buffer.from([Number.parseInt(part.slice(1), 8)]));
    else bytes.push(Buffer.from([letters[part.slice(1)] ?? part.charCodeAt(1)]));
  }
  return Buffer.concat(bytes).toString("utf8");
}

/** Returns whether a commit undoes one of these commits. Messages may shorten the hash to seven digits. */
function isInside({ reverts }: CommitFacts, hashes: ReadonlySet<string>): boolean {
  if (reverts === undefined || reverts === "unknown") return false;
  return hashes.has(reverts) || (reverts.length < 12 && [...hashes].some((hash) => hash.startsWith(reverts)));
}

function areasOf(files: readonly TouchedFile[]): Pick<CommitFacts, "touches" | "areas" | "codeLines"> {
  if (files.length === 0) return {};
  const paths = files.map(({ path }) => path);
  const kinds = new Set(paths.map(kindOfPath));
  const codeLines = files.reduce((total, { path, lines }) => total + (kindOfPath(path) === "code" ? lines : 0), 0);
  const touches: FileKind[] = fileKinds.filter((kind) => kinds.has(kind));
  const folders = new Map<string, number>();
  for (const path of paths) {
    const folder = path.split("/").slice(0, -1).slice(0, 2).join("/") || ".";
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const areas = [...folders].toSorted((a, b) => b[1] - a[1] || compare(a[0], b[0])).map(([folder]) => line(folder, 200));
  return { touches, areas: areas.slice(0, 6), ...(codeLines > 0 ? { codeLines } : {}) };
}

/** Returns how much a commit says that is special. If there are too many commits, those with the most weight are kept. */
export function weightOf(commit: CommitFacts): number {
  return (
    (commit.advisories || commit.privateMerge ? 8 : 0) +
    (commit.breaking || commit.reverts ? 4 : 0) +
    (commit.security ? 2 : 0) +
    (commit.touches?.includes("code") ? 1 : 0)
  );
}

/** `named` are the commits that a changelog names. They are kept like those that are marked as breaking. */
function kept(all: readonly CommitFacts[], most: number, named: ReadonlySet<string>): CommitFacts[] {
  if (all.length <= most) return [...all];
  const weight = (commit: CommitFacts) => weightOf(commit) + (named.has(commit.hash) && !(commit.breaking || commit.reverts) ? 4 : 0);
  const chosen = new Set(
    all
      .map((commit, index) => ({ index, weight: weight(commit) }))
      .toSorted((a, b) => b.weight - a.weight || a.index - b.index)
      .slice(0, most)
      .map(({ index }) => index),
  );
  return all.filter((_, index) => chosen.has(index));
}
