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

/** Finds both ends of a release. A name that could be an option of git is refused and never reaches git, and so are ends in the wrong order. */
export async function findRange(
  git: Git,
  from: string,
  to: string,
): Promise<{ readonly ok: true; readonly range: ReleaseRange } | RefusedFacts> {
  const any = await git.run(["rev-list", "--max-count=1", "--all"]);
  if (any.length === 0) return refused("no_commits", "The repository has no commits.");
  if (!isAllowed(from)) return unknown(from);
  const [base, head] = await commitsOf(git, isAllowed(to) ? [from, to] : [from]);
  if (!base) return unknown(from);
  if (!head) return unknown(to);
  if (base.id === head.id)
    return refused("empty_range", `${JSON.stringify(shown(from))} and ${JSON.stringify(shown(to))} are the same commit.`);
  const baseIsAncestor = await isAncestor(git, base, head);
  // The facts of a step back would read as those of a change that nobody made.
  if (!baseIsAncestor && (await isAncestor(git, head, base)))
    return refused("swapped_ends", `${shown(to)} is an ancestor of ${shown(from)}: are --from and --to swapped?`);
  const [baseDate = "", headDate = ""] = (
    await git.text(["log", "--no-walk=unsorted", "--no-color", "--format=tformat:%cI", base.id, head.id, "--"])
  ).split("\n");
  return { ok: true, range: { base: endOf(from, base, baseDate), head: endOf(to, head, headDate), baseIsAncestor } };
}

async function isAncestor(git: Git, earlier: NamedCommit, later: NamedCommit): Promise<boolean> {
  return (await git.ask(["merge-base", "--is-ancestor", earlier.id, later.id])) !== undefined;
}

const SHORT_ID = 12;

interface NamedCommit {
  readonly id: string;
  readonly isTag: boolean;
}

/** Returns the commit that each name means, a tag first, or undefined for a name that means none. */
async function commitsOf(git: Git, names: readonly string[]): Promise<readonly (NamedCommit | undefined)[]> {
  const ids = await idsOf(
    git,
    names.flatMap((name) => [`refs/tags/${name}^{commit}`, `${name}^{commit}`]),
  );
  return names.map((_, index) => {
    const asTag = ids[2 * index];
    const id = asTag ?? ids[2 * index + 1];
    return id === undefined ? undefined : { id, isTag: asTag !== undefined };
  });
}

/** Returns the id of the commit that each expression means. Expressions have no control characters, so each is one line and one question. */
async function idsOf(git: Git, expressions: readonly string[]): Promise<readonly (string | undefined)[]> {
  const answers = await git.ask(["cat-file", "--batch-check"], `${expressions.join("\n")}\n`);
  if (answers !== undefined) return answers.split("\n").map((answer) => /^([0-9a-f]{40,64}) commit \d+$/.exec(answer)?.[1]);
  // Git gives up at some expressions, such as @{upstream} of a branch without one, and does not answer about the next ones.
  if (expressions.length < 2) return [];
  return Promise.all(expressions.map(async (expression) => (await idsOf(git, [expression]))[0]));
}

function isAllowed(name: string): boolean {
  return /^(?!-)[^\p{Cc}]{1,250}$/u.test(name);
}

function endOf(name: string, { id, isTag }: NamedCommit, date: string): End {
  // HEAD is another commit tomorrow, and a report is filed under the name of its release.
  return { ref: name === "HEAD" ? id.slice(0, SHORT_ID) : line(name, 250), id, date: utc(date), isTag };
}

/** Returns the time in UTC, or an empty text, because a commit may have a date that no calendar has. */
export function utc(date: string): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? "" : new Date(time).toISOString().replace(".000Z", "Z");
}

function unknown(name: string): RefusedFacts {
  return refused("unknown_ref", `${JSON.stringify(shown(name))} names no commit in the repository.`);
}
