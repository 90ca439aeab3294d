import type { Git } from "@toolbus/release-facts";
import { refused, type RefusedSummary } from "./git-problem.ts";

/**
 * One end of a range. Dates are ISO 8601 in UTC. If the range begins at the beginning of the history, that end is not a commit, and has no `commit`
 * and no dates.
 */
export interface ReleasePoint {
  readonly name: string;
  readonly commit?: string;
  readonly committed_at?: string;
  /** When the tag was made. Only annotated tags have this date. */
  readonly tagged_at?: string;
}

/** A range of commits. Both ends were resolved to object ids, so later git commands never receive text that somebody typed. */
export interface GitRange {
  readonly version: string;
  readonly from: ReleasePoint;
  readonly to: ReleasePoint;
  /** The argument of git that selects the commits of the range. */
  readonly commits: string;
  /** The two trees whose difference is the release. */
  readonly trees: readonly [string, string];
  readonly notes: readonly string[];
}

/**
 * Finds both ends of a range. `to` is HEAD by default. `from` is by default the nearest tag before `to`, or the beginning of the history if there is
 * no such tag. If the ends are on different branches, the result is still the difference of their two trees, because a deployment makes exactly that
 * change.
 */
export async function findRange(
  git: Git,
  wanted: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<{ readonly ok: true; readonly range: GitRange } | RefusedSummary> {
  const last = await resolve(git, wanted.to ?? "HEAD");
  if (last === undefined) return wanted.to === undefined ? noHead(git) : unknown(wanted.to);
  const version = wanted.to !== undefined && (await isTag(git, wanted.to)) ? wanted.to : await describe(git, last);
  const to = await pointOf(git, wanted.to ?? version, last);

  const from = wanted.from ?? (await tagBefore(git, last));
  if (from === undefined) return { ok: true, range: await sinceTheBeginning(git, version, to, last) };

  const first = await resolve(git, from);
  if (first === undefined) return unknown(from);
  const straight = (await git.ask(["merge-base", "--is-ancestor", "--end-of-options", first, last])) !== undefined;
  return {
    ok: true,
    range: {
      version,
      from: await pointOf(git, from, first),
      to,
      commits: `${first}..${last}`,
      trees: [first, last],
      notes: straight
        ? []
        : [`${from} is not an ancestor of ${to.name}: the files are compared directly, the commits are those that only ${to.name} has.`],
    },
  };
}

/** Returns the commit that a name means. Refuses a name that starts with "-", is empty, is very long or contains control characters. */
async function resolve(git: Git, name: string): Promise<string | undefined> {
  if (!/^(?!-)[^\p{Cc}]{1,250}$/u.test(name)) return undefined;
  return git.ask(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
}

async function isTag(git: Git, name: string): Promise<boolean> {
  return (await git.ask(["show-ref", "--verify", "--quiet", `refs/tags/${name}`])) !== undefined;
}

async function describe(git: Git, commit: string): Promise<string> {
  return (await git.text(["describe", "--tags", "--always", "--end-of-options", commit])).trim();
}

/** Returns the nearest tag in the history before a commit. A tag on the commit itself does not count, because it names this release. */
function tagBefore(git: Git, commit: string): Promise<string | undefined> {
  return git.ask(["describe", "--tags", "--abbrev=0", "--end-of-options", `${commit}^`]);
}

async function pointOf(git: Git, name: string, commit: string): Promise<ReleasePoint> {
  const committed = (await git.text(["log", "--max-count=1", "--format=%cI", "--end-of-options", commit, "--"])).trim();
  const tagged = (await isTag(git, name)) ? await git.text(["for-each-ref", "--format=%(taggerdate:iso-strict)", `refs/tags/${name}`]) : "";
  return { name, commit, ...dated("committed_at", committed), ...dated("tagged_at", tagged.trim()) };
}

// The date of a commit may be one that no calendar has. Such a date is left out.
function dated(field: "committed_at" | "tagged_at", text: string): Partial<ReleasePoint> {
  const time = Date.parse(text);
  return Number.isNaN(time) ? {} : { [field]: new Date(time).toISOString() };
}

async function sinceTheBeginning(git: Git, version: string, to: ReleasePoint, last: string): Promise<GitRange> {
  const anyTag = await git.text(["for-each-ref", "--count=1", "--format=%(refname)", "refs/tags"]);
  const nothing = anyTag ? `There is no tag before ${to.name}` : "The repository has no tags";
  return {
    version,
    from: { name: "the beginning of the history" },
    to,
    commits: last,
    // Git computes the id of the empty tree from empty input, so this works with both of git's hash formats (SHA-1 and SHA-256).
    trees: [(await git.text(["hash-object", "-t", "tree", "--stdin"])).trim(), last],
    notes: [`${nothing}: everything since the first commit counts.`],
  };
}

async function noHead(git: Git): Promise<RefusedSummary> {
  const any = await git.text(["rev-list", "--max-count=1", "--all"]);
  return any
    ? refused("unknown_ref", "HEAD names no commit.", "Check out a branch that has commits, or name one with --to.")
    : refused("no_commits", "The repository has no commits.", "Commit something first.");
}

function unknown(name: string): RefusedSummary {
  return refused(
    "unknown_ref",
    `${JSON.stringify(name.slice(0, 100))} names no commit in the repository.`,
    "Run git tag to see the tags, and git fetch --tags if one is missing.",
  );
}
