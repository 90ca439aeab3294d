import { type AdvisorySource, compareAdvisories } from "./advisories/compare-advisories.ts";
import { type ChangedFile, changedFiles, DIFF_FLAGS } from "./changed-files.ts";
import { compare, line } from "./clean-text.ts";
import { CODEOWNERS_PATHS, ownersOf } from "./code-owners.ts";
import { readBlobs, readFileAt } from "./blob-reader.ts";
import { isChangelog } from "./changelog-items.ts";
import { readChangelog } from "./changelog-facts.ts";
import { listedCommits, readCommits } from "./commit-log.ts";
import { dependencyChanges } from "./dependency-changes.ts";
import { developmentLists } from "./development-lists.ts";
import { exportChanges } from "./export-changes.ts";
import { hasExports, isCrate } from "./exported-names.ts";
import { factsOfFile, type KindedFile, mostImportant, sum, totalsByKind } from "./file-facts.ts";
import { kindOf, kindOfPath } from "./file-kind.ts";
import { readFixHistory } from "./fix-history.ts";
import { readFreshHunks } from "./fresh-hunks.ts";
import { type Git, GitFailed, gitIn, withoutAttributes } from "./git-command.ts";
import { directoryOf, packageInTag, type PackagePlace } from "./package-directory.ts";
import { hasGoProgram } from "./go-exports.ts";
import { parsePatch, type PatchHunk } from "./patch-reader.ts";
import { refusalOf, refused, type RefusedFacts } from "./refused-facts.ts";
import type { DependencyChange, ReleaseFacts } from "./release-facts.ts";
import { findRange, type ReleaseRange } from "./release-range.ts";
import { libraryCrates, publicRustFiles } from "./rust-exports.ts";
import { readVersions } from "./release-version.ts";
import { seriesOf } from "./version-step.ts";
import { type WorkspaceEnds, workspaceEnds } from "./workspace-packages.ts";

/** How many items of each list the facts may have. Each is at most the maximum of the schema. */
export interface FactsLimits {
  readonly commits: number;
  readonly files: number;
  readonly hunks: number;
  readonly names: number;
}

export interface FactsOptions {
  /** The folder of the repository, bare or not. Only people who run the command may choose it. */
  readonly repo: string;
  readonly from: string;
  readonly to: string;
  /** The name to show. The default is the last part of the folder's name. */
  readonly project?: string | undefined;
  /** The name or the folder of a package of a monorepo. The default is what the tag `to` names, or the whole repository. */
  readonly package?: string | undefined;
  readonly limits?: Partial<FactsLimits> | undefined;
  /** Security advisories to compare the release with. Without them, the facts say nothing about advisories. */
  readonly advisories?: AdvisorySource | undefined;
  /** The environment variables of the process. Git receives only the few that it needs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

export const LARGEST_LIMITS: FactsLimits = { commits: 300, files: 300, hunks: 50, names: 200 };

const DEADLINE_MS = 120_000;
/** A file with more changed lines than this has no hunks and no compared names, because nobody reviews it line by line. */
const MOST_LINES = 20_000;

/**
 * Derives the facts of the release between two refs, within two minutes. It only reads, and starts no program of the repository. The same repository,
 * refs and limits give the same JSON, byte for byte. If there are no facts, it returns the reason. Throws the signal's reason when the signal aborts.
 */
export async function readReleaseFacts(options: FactsOptions): Promise<{ readonly ok: true; readonly facts: ReleaseFacts } | RefusedFacts> {
  const { repo, from, to, environment, signal } = options;
  signal?.throwIfAborted();
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const how = { repository: repo, environment, signal: signal ? AbortSignal.any([signal, deadline]) : deadline };
  try {
    const view = await withoutAttributes(how);
    if (view.isShallow) return refused("shallow_clone", "The repository is a shallow clone, so its history is incomplete.");
    const git = gitIn(view);
    const found = await findRange(git, from, to);
    if (!found.ok) return found;
    const place = await placeOf(git, found.range, options.package);
    if (place === undefined) return refused("unknown_package", "No folder and no manifest of the repository has the name of the package.");
    return { ok: true, facts: await derive(git, found.range, place, options) };
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.aborted) return refused("too_slow", "Git did not answer in time, so name two refs that are closer together.");
    if (error instanceof GitFailed) return refusalOf(error);
    throw error;
  }
}

/** Returns null for the whole repository, and undefined if a named package does not exist. */
async function placeOf(git: Git, { head }: ReleaseRange, wanted: string | undefined): Promise<PackagePlace | null | undefined> {
  const name = wanted ?? (head.isTag ? packageInTag(head.ref) : null);
  if (name === null) return null;
  const directory = await directoryOf(git, head.id, name);
  // A prefix of a tag that is no folder is only a prefix, such as R_ or release-.
  if (directory === null && wanted === undefined && !name.startsWith("@")) return null;
  if (directory === null && wanted !== undefined) return undefined;
  return { name, directory };
}

/**
 * Marks the dependencies that are packages of the same repository at both ends. They are released together with the others. A manifest that the release
 * itself adds proves nothing, because whoever wants to hide the step of a dependency can add one with its name.
 */
function withSiblings(moved: readonly DependencyChange[], { before, after }: WorkspaceEnds): readonly DependencyChange[] {
  const earlier = new Set(before.map(({ name }) => name));
  const siblings = new Set(after.flatMap(({ name }) => (earlier.has(name) ? [name] : [])));
  return moved.map((change) => (siblings.has(change.name) ? { ...change, sibling: true as const } : change));
}

async function derive(git: Git, range: ReleaseRange, place: PackagePlace | null, options: FactsOptions): Promise<ReleaseFacts> {
  const limits = bounded(options.limits);
  const { base, head } = range;
  const directory = place?.directory ?? null;
  const all = await changedFiles(git, base.id, head.id, directory);
  const texts = await readBlobs(
    git,
    all.filter(isRead).flatMap(({ oldId, newId }) => [oldId, newId]),
  );
  const files = all.map((file) => ({ ...file, kind: kindOf(file.path, texts.get(file.newId) ?? texts.get(file.oldId)) }));
  const chosen = mostImportant(files, limits.files);
  const patch = await readPatch(git, range, chosen.filter(hasHunks));
  const history = await readFixHistory(git, base.id, base.date, directory);
  const manifests = files.filter(({ kind }) => kind === "manifest");
  const aside = await developmentLists(
    git,
    head.id,
    manifests.map(({ path }) => path),
  );
  const { dependencies: moved, requirements } = dependencyChanges(manifests, texts, aside);
  const workspace = await workspaceEnds(git, range);
  const dependencies = withSiblings(moved, workspace);
  const outside = directory === null ? null : (await changedFiles(git, base.id, head.id, null)).length - all.length;
  const version = await readVersions(git, range, directory);
  const fresh = version.step === "patch" ? await readFreshHunks(git, range, chosen.filter(hasHunks), patch) : null;
  const commits = await readCommits(git, base.id, head.id, directory);
  const changelog = await readChangelog(git, range, version, files, texts, commits.list, directory);
  const isGoProgram = await hasGoProgram(git, head.id, directory);
  const advisories =
    options.advisories &&
    (await compareAdvisories(git, options.advisories, range, {
      version,
      commits: commits.list,
      changelog,
      directory,
      dependencies,
      workspace,
      isGoProgram,
      most: limits.names,
    }));
  const named = new Set([
    ...changelog.list.flatMap((entry) => entry.commits ?? []),
    ...(advisories?.fixed.list ?? []).flatMap((advisory) => advisory.commits ?? []),
  ]);
  const rust = files.filter(({ kind, path }) => kind === "code" && path.endsWith(".rs"));
  const publicRust = await publicRustFiles(
    git,
    head.id,
    rust.map(({ path }) => path),
  );
  const crates = await libraryCrates(
    git,
    head.id,
    files.filter(({ path }) => isCrate(path)).map(({ path }) => path),
  );
  const isTagSeries = base.isTag && head.isTag && seriesOf(base.ref) === seriesOf(head.ref);
  return {
    format: 1,
    project: line(
      options.project ??
        options.repo
          .replace(/[/\\]+$/, "")
          .split(/[/\\]/)
          .at(-1) ??
        "",
      200,
    ),
    package: place === null ? null : { name: line(place.name, 200), directory: directory === null ? null : line(directory, 400) },
    base: { ref: base.ref, commit: base.id, date: base.date, tag: base.isTag },
    head: { ref: head.ref, commit: head.id, date: head.date, tag: head.isTag },
    baseIsAncestor: range.baseIsAncestor,
    sameTagSeries: isTagSeries,
    version,
    commits: listedCommits(commits, limits.commits, named),
    files: {
      total: files.length,
      added: sum(files, "added"),
      deleted: sum(files, "deleted"),
      byKind: totalsByKind(files),
      omitted: files.length - chosen.length,
      list: chosen
        .map((file) => factsOfFile(file, patch, history.byPath, limits.hunks, fresh?.byPath))
        .toSorted((a, b) => compare(a.path, b.path)),
      ...(outside === null ? {} : { outside }),
    },
    exports: exportChanges(
      files.filter(
        ({ kind, path }) =>
          crates.has(path) ||
          (kind === "code" &&
            hasExports(path) &&
            (!path.endsWith(".rs") || publicRust.has(path)) &&
            !(isGoProgram && path.endsWith(".go"))),
      ),
      texts,
      limits.names,
    ),
    dependencies: { omitted: Math.max(0, dependencies.length - limits.names), list: dependencies.slice(0, limits.names) },
    requirements: requirements.slice(0, 50),
    ...(changelog.list.length > 0 ? { changelog } : {}),
    ...(advisories === undefined ? {} : { advisories }),
    ...(fresh === null ? {} : { freshSince: fresh.since }),
    owners: await readOwners(git, head.id, all),
    history: { commits: history.commits, fixes: history.fixes },
    notes: range.baseIsAncestor ? [] : ["The base is not an ancestor of the head, so the files show the difference of two branches."],
  };
}

function bounded(limits: Partial<FactsLimits> = {}): FactsLimits {
  const least = (name: keyof FactsLimits) => Math.max(0, Math.min(Math.trunc(limits[name] ?? LARGEST_LIMITS[name]), LARGEST_LIMITS[name]));
  return { commits: least("commits"), files: least("files"), hunks: least("hunks"), names: least("names") };
}

function isRead({ path, binary, added, deleted }: ChangedFile): boolean {
  const kind = kindOfPath(path);
  if (isChangelog(path)) return !binary;
  return !binary && added + deleted <= MOST_LINES && (kind === "code" || kind === "manifest" || kind === "config" || kind === "other");
}

function hasHunks({ kind, binary, added, deleted }: KindedFile): boolean {
  return (kind === "code" || kind === "migration") && !binary && added + deleted <= MOST_LINES;
}

async function readPatch(
  git: Git,
  { base, head }: ReleaseRange,
  files: readonly KindedFile[],
): Promise<ReadonlyMap<string, readonly PatchHunk[]>> {
  if (files.length === 0) return new Map();
  const paths = files.flatMap(({ path, from }) => (from === null ? [path] : [from, path]));
  const patch = await git.run([
    "diff",
    "--unified=0",
    "--full-index",
    "--inter-hunk-context=0",
    ...DIFF_FLAGS,
    base.id,
    head.id,
    "--",
    ...paths,
  ]);
  return parsePatch(patch.toString("utf8"));
}

async function readOwners(git: Git, head: string, files: readonly ChangedFile[]): Promise<ReleaseFacts["owners"]> {
  for (const path of CODEOWNERS_PATHS) {
    const content = await readFileAt(git, head, path);
    if (content !== undefined)
      return ownersOf(
        content,
        files.map((file) => file.path),
      );
  }
  return [];
}
