import { type Git, GitFailed, gitIn, line, seriesOf, versionOf } from "@toolbus/release-facts";
import type { GitSummary } from "./git-summary.ts";

/** One earlier release, from its tag. The counts are those since the tag before it, and null if there is none. */
export interface PastRelease {
  readonly tag: string;
  readonly commit: string;
  readonly released_at: string;
  readonly base: string | null;
  readonly size: ReleaseSize | null;
  /** How many of its commits undo another commit. */
  readonly reverts: number | null;
  /** The days until the next release. A short time often means that the next release repaired this one. */
  readonly days_to_next: number;
}

export interface ReleaseSize {
  readonly commits: number;
  readonly files: number;
  readonly lines: number;
}

export type PastOutcome =
  | { readonly ok: true; readonly total: number; readonly releases: readonly PastRelease[] }
  | { readonly ok: false; readonly message: string };

export interface PastReleasesOptions {
  readonly repo: string;
  readonly release: Pick<GitSummary, "version" | "from" | "to">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const MOST_TAGS = 2000;
const MOST_RELEASES = 20;

/**
 * Reads the releases before a release: the newest 20 tags in its history with the same name before the version, such as all tags v1.2.3, or all tags
 * @shop/cart@1.2.3. Throws the signal's reason when the signal aborts.
 */
export async function readPastReleases({ repo, release, environment, signal }: PastReleasesOptions): Promise<PastOutcome> {
  const git = gitIn({ repository: repo, environment, signal });
  const head = release.to.commit ?? release.to.name;
  try {
    const tags = (await tagsOf(git, head)).filter(({ commit }) => commit !== head);
    // A release without a tag of its own continues the series of the tag before it.
    const own = [release.version, release.to.name, release.from.name].find((name) => versionOf(name) !== null);
    if (own === undefined) return { ok: true, total: 0, releases: [] };
    const series = tags.filter(({ tag }) => versionOf(tag) !== null && seriesOf(tag) === seriesOf(own));
    const chosen = series.slice(0, MOST_RELEASES);
    const releases: PastRelease[] = [];
    let next = Date.parse(release.to.tagged_at ?? release.to.committed_at ?? "");
    for (const [index, tag] of chosen.entries()) {
      releases.push(await pastRelease(git, tag, series[index + 1], next));
      next = Date.parse(tag.date);
    }
    return { ok: true, total: series.length, releases };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitFailed) return { ok: false, message: `Git cannot read the tags (${line(error.said, 100) || error.reason}).` };
    throw error;
  }
}

interface Tag {
  readonly tag: string;
  readonly commit: string;
  readonly date: string;
}

async function tagsOf(git: Git, head: string): Promise<readonly Tag[]> {
  const output = await git.text([
    "for-each-ref",
    `--count=${MOST_TAGS}`,
    `--merged=${head}`,
    "--sort=-v:refname",
    "--sort=-creatordate",
    "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)%00%(creatordate:iso-strict)",
    "refs/tags",
  ]);
  return output.split("\n").flatMap((record) => {
    const [tag, object, peeled, date] = record.split("\0");
    if (!tag || !object) return [];
    const time = Date.parse(date ?? "");
    return [{ tag: line(tag, 250), commit: peeled || object, date: Number.isNaN(time) ? "" : new Date(time).toISOString() }];
  });
}

async function pastRelease(git: Git, { tag, commit, date }: Tag, before: Tag | undefined, next: number): Promise<PastRelease> {
  const days = Math.round((next - Date.parse(date)) / 86_400_000);
  const ends = { tag, commit, released_at: date, days_to_next: Number.isFinite(days) ? Math.max(0, days) : 0 };
  if (!before) return { ...ends, base: null, size: null, reverts: null };
  const range = `${before.commit}..${commit}`;
  const commits = Number(await git.text(["rev-list", "--count", range, "--"]));
  const reverts = Number(await git.text(["rev-list", "--count", "--grep=^This reverts commit ", range, "--"]));
  const diff = await git.text(["diff", "--shortstat", "--no-ext-diff", "--no-textconv", "--no-color", before.commit, commit, "--"]);
  const count = (pattern: RegExp) => Number(pattern.exec(diff)?.[1] ?? 0);
  return {
    ...ends,
    base: before.tag,
    size: { commits, files: count(/(\d+) files? changed/), lines: count(/(\d+) insertion/) + count(/(\d+) deletion/) },
    reverts,
  };
}
