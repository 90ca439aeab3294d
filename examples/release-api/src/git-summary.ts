import { areasOf, type Area, type FilesChanged, parseNumstat, totalsOf } from "./changed-files.ts";
import { type Git, GitFailed, gitIn } from "@toolbus/release-facts";
import { refusalOf, refused, type RefusedSummary } from "./git-problem.ts";
import { findRange, type GitRange, type ReleasePoint } from "./git-range.ts";

/** The changes between two points of a git history. Lists are limited in length. A count or a note says how much was left out. */
export interface GitSummary {
  /** The tag of the newer end, or the name that `git describe` gives it. */
  readonly version: string;
  readonly from: ReleasePoint;
  readonly to: ReleasePoint;
  readonly change_count: number;
  /** The subjects of the commits, newest first. */
  readonly changes: readonly string[];
  readonly changes_omitted: number;
  /** The authors' names, without their email addresses, because addresses of people do not belong in a report. */
  readonly authors: readonly Author[];
  readonly files: FilesChanged;
  readonly areas: readonly Area[];
  readonly size: { readonly commits: number; readonly files: number; readonly lines: number };
  readonly notes: readonly string[];
}

export interface Author {
  readonly name: string;
  readonly commits: number;
}

export interface SummariseOptions {
  readonly repository: string;
  /** A tag, branch or commit. The default is the nearest tag before `to`. */
  readonly from?: string | undefined;
  /** A tag, branch or commit. The default is HEAD. */
  readonly to?: string | undefined;
  /** The variables that git may read. The default is those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const DEADLINE_MS = 60_000;
const MAX_CHANGES = 100;
const MAX_SUBJECT = 300;
const MAX_AUTHORS = 50;
const MAX_AREAS = 30;

/**
 * Summarises the part of a repository's history between two points, within 60 seconds. It only reads, and starts no program of the repository. If it
 * cannot make a summary, it returns the reason and a remedy. Throws the signal's reason when the signal aborts.
 */
export async function summariseGitRange(
  options: SummariseOptions,
): Promise<{ readonly ok: true; readonly summary: GitSummary } | RefusedSummary> {
  const { repository, environment = process.env, signal } = options;
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const git = gitIn({ repository, environment, signal: signal ? AbortSignal.any([signal, deadline]) : deadline });
  try {
    if ((await git.text(["rev-parse", "--is-shallow-repository"])).trim() === "true") return shallow(repository);
    const found = await findRange(git, options);
    return found.ok ? await summarise(git, found.range) : found;
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.aborted)
      return refused("timeout", `Git did not answer about ${repository} in time.`, "Name a later --from, or run git gc there.");
    if (error instanceof GitFailed) return refusalOf(error, repository);
    throw error;
  }
}

async function summarise(git: Git, range: GitRange): Promise<{ readonly ok: true; readonly summary: GitSummary } | RefusedSummary> {
  const count = Number(await git.text(["rev-list", "--count", "--end-of-options", range.commits, "--"]));
  if (count === 0) return empty(range);
  const [changes, authors, changed] = await Promise.all([subjectsOf(git, range), authorsOf(git, range), changedFiles(git, range)]);
  const files = totalsOf(changed);
  const areas = areasOf(changed);
  return {
    ok: true,
    summary: {
      version: range.version,
      from: range.from,
      to: range.to,
      change_count: count,
      changes,
      changes_omitted: count - changes.length,
      authors: authors.slice(0, MAX_AUTHORS),
      files,
      areas: areas.slice(0, MAX_AREAS),
      size: { commits: count, files: files.changed, lines: files.insertions + files.deletions },
      notes: [...range.notes, ...cut("authors", authors.length, MAX_AUTHORS), ...cut("areas", areas.length, MAX_AREAS)],
    },
  };
}

async function subjectsOf(git: Git, range: GitRange): Promise<readonly string[]> {
  // Each record begins with the commit's id. Without the id, a commit without a subject would be an empty record, which git leaves out.
  const output = await git.text([
    "log",
    "-z",
    `--max-count=${MAX_CHANGES}`,
    "--no-color",
    "--format=%H %s",
    "--end-of-options",
    range.commits,
    "--",
  ]);
  return output
    .split("\0")
    .filter((record) => record !== "")
    .map((record) => record.slice(record.indexOf(" ") + 1).slice(0, MAX_SUBJECT) || "(no subject)");
}

async function authorsOf(git: Git, range: GitRange): Promise<readonly Author[]> {
  const output = await git.text(["shortlog", "--summary", "--numbered", "--end-of-options", range.commits, "--"]);
  return output.split("\n").flatMap((line) => {
    const [, commits, name] = /^\s*(\d+)\t(.*)$/u.exec(line) ?? [];
    return commits === undefined || name === undefined ? [] : [{ name: withoutAddress(name), commits: Number(commits) }];
  });
}

// Some people's configured name is their email address.
function withoutAddress(name: string): string {
  return name.replaceAll(/<?([^\s<>@]+)@[^\s<>]+>?/gu, "$1").trim() || "(no name)";
}

async function changedFiles(git: Git, range: GitRange) {
  const flags = ["--numstat", "-z", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative"];
  return parseNumstat(await git.text(["diff", ...flags, "--end-of-options", ...range.trees, "--"]));
}

function cut(what: string, all: number, kept: number): readonly string[] {
  return all > kept ? [`Only the first ${kept} of ${all} ${what} are listed.`] : [];
}

function shallow(repository: string): RefusedSummary {
  return refused(
    "shallow_clone",
    `${repository} is a shallow clone, so its history is incomplete.`,
    "Run git fetch --unshallow --tags there.",
  );
}

function empty({ from, to }: GitRange): RefusedSummary {
  // No commit is only in the later end, so the earlier end has all of its commits, and more unless both are the same.
  if (from.commit !== to.commit)
    return refused("empty_range", `${to.name} is an ancestor of ${from.name}.`, "Look whether --from and --to are swapped.");
  return refused("empty_range", `There is no commit between ${from.name} and ${to.name}.`, "Name an earlier --from or a later --to.");
}
