import { line } from "./clean-text.ts";
import type { Git } from "./git-command.ts";
import { refused, type RefusedFacts, shown } from "./refused-facts.ts";

/** One end of a release. `id` is a full object id, so later git commands never receive text that somebody typed. */
export interface End {
  /** The name as given, or the beginning of the commit's id for HEAD. */
  readonly ref: string;
  readonly id: string;
  /** The time of the commit, ISO 8601 in UTC, or an empty text if the commit has no valid time. */
  readonly date: string;
  readonly isTag: boolean;
}

export interface ReleaseRange {
  readonly base: End;
  readonly head: End;
  readonly baseIsAncestor: boolean;
}

/** Finds both ends of a release. A name that could be an option of git is refused and never reaches git. */
export async function findRange(
  git: Git,
  from: string,
  to: string,
): Promise<{ readonly ok: true; readonly range: ReleaseRange } | RefusedFacts> {
  const shallow = (await git.run(["rev-parse", "--is-shallow-repository"])).toString("utf8").trim();
  if (shallow === "true") return refused("shallow_clone", "The repository is a shallow clone, so its history is incomplete.");
  const any = await git.run(["rev-list", "--max-count=1", "--all"]);
  if (any.length === 0) return refused("no_commits", "The repository has no commits.");
  const base = await endOf(git, from);
  if (!base) return unknown(from);
  const head = await endOf(git, to);
  if (!head) return unknown(to);
  if (base.id === head.id)
    return refused("empty_range", `${JSON.stringify(shown(from))} and ${JSON.stringify(shown(to))} are the same commit.`);
  const baseIsAncestor = (await git.ask(["merge-base", "--is-ancestor", base.id, head.id])) !== undefined;
  return { ok: true, range: { base, head, baseIsAncestor } };
}

const SHORT_ID = 12;

async function endOf(git: Git, name: string): Promise<End | undefined> {
  if (!/^(?!-)[^\p{Cc}]{1,250}$/u.test(name)) return undefined;
  const asTag = await git.ask(["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/tags/${name}^{commit}`]);
  const id = asTag ?? (await git.ask(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]));
  if (id === undefined || !/^[0-9a-f]{40,64}$/.test(id)) return undefined;
  const date = (await git.run(["log", "--max-count=1", "--format=%cI", id, "--"])).toString("utf8").trim();
  // HEAD is another commit tomorrow, and a report is filed under the name of its release.
  return { ref: name === "HEAD" ? id.slice(0, SHORT_ID) : line(name, 250), id, date: utc(date), isTag: asTag !== undefined };
}

/** Returns the time in UTC, or an empty text, because a commit may have a date that no calendar has. */
export function utc(date: string): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? "" : new Date(time).toISOString().replace(".000Z", "Z");
}

function unknown(name: string): RefusedFacts {
  return refused("unknown_ref", `${JSON.stringify(shown(name))} names no commit in the repository.`);
}
