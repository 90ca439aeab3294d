import {
  type FactsLimits,
  type FactsOptions,
  type FactsSelection,
  gitIn,
  pageOfFacts,
  readReleaseFacts,
  type RefusedFacts,
  type ReleaseFacts,
} from "@toolbus/release-facts";
import type { GitSummary } from "./git-summary.ts";

/** The answer of `GET /code-changes`. `base` and `head` are the names of the two ends. */
export interface CodeChanges {
  readonly release_id: string;
  readonly base: string;
  readonly head: string;
  readonly facts: ReleaseFacts;
}

export type FactsOutcome = { readonly ok: true; readonly facts: ReleaseFacts } | Pick<RefusedFacts, "ok" | "message">;

export interface CodeChangesOptions {
  readonly repo: string;
  readonly project?: string | undefined;
  readonly package?: string | undefined;
  readonly advisories?: FactsOptions["advisories"];
  readonly ends: Pick<GitSummary, "from" | "to"> & Partial<Pick<GitSummary, "change_count">>;
  readonly limits?: Partial<FactsLimits> | undefined;
  readonly environment: FactsOptions["environment"];
  readonly signal: AbortSignal;
}

/**
 * Derives the facts of a release. If no release is before it, the base is the first commit, and a note says so. A long history without an earlier
 * release is refused, because it is no change that anybody could judge. A tag that moved since the summary was made does not move the ends.
 */
export async function readCodeChanges(options: CodeChangesOptions): Promise<FactsOutcome> {
  const { ends, repo, environment, signal } = options;
  const head = ends.to.commit ?? ends.to.name;
  if (isTooLong(ends))
    return {
      ok: false,
      message: `No release is before this one, and a history of ${ends.change_count} commits is no change that anybody could judge: name its beginning with --from.`,
    };
  const base = ends.from.commit ?? (await firstCommit(repo, head, environment, signal));
  if (base === undefined || base === head)
    return { ok: false, message: "The release is the first commit of its history, so there is nothing to compare it with." };
  const read = (from: string, to: string) => readReleaseFacts({ ...options, from, to });
  const named = await read(ends.from.commit === undefined ? base : ends.from.name, ends.to.name);
  const moved = named.ok && (named.facts.base.commit !== base || named.facts.head.commit !== head);
  const outcome = !named.ok || moved ? await read(base, head) : named;
  if (!outcome.ok) return outcome;
  return { ok: true, facts: { ...outcome.facts, notes: [...outcome.facts.notes, ...doubtsOf(outcome.facts, ends)] } };
}

/** Returns whether a release has a long history and no release before it. */
export function isTooLong({ from, change_count: commits = 0 }: CodeChangesOptions["ends"]): boolean {
  return from.commit === undefined && commits > MOST_FIRST_COMMITS;
}

/** The most commits of a first release whose changes are read. */
const MOST_FIRST_COMMITS = 300;

/** Returns one page of the changes, or the number of pages if this page does not exist. */
export function codeChanges(releaseId: string, facts: ReleaseFacts, selection: FactsSelection): CodeChanges | number {
  const page = pageOfFacts(facts, selection);
  if (page.facts === null) return page.pages;
  return { release_id: releaseId, base: facts.base.ref, head: facts.head.ref, facts: page.facts };
}

function doubtsOf({ base, head, sameTagSeries }: ReleaseFacts, ends: CodeChangesOptions["ends"]): readonly string[] {
  return [
    ...(ends.from.commit === undefined ? ["No release is before this one, so the base is the first commit of the history."] : []),
    ...(base.tag && head.tag && !sameTagSeries
      ? ["The tags of the base and of the head have different names before the version, so the base may be of another package."]
      : []),
  ];
}

/** Returns the oldest commit without a parent. */
async function firstCommit(
  repository: string,
  head: string,
  environment: FactsOptions["environment"],
  signal: AbortSignal,
): Promise<string | undefined> {
  const git = gitIn({ repository, environment, signal });
  const roots = await git.ask(["rev-list", "--max-parents=0", "--end-of-options", head]);
  return roots?.split("\n").at(-1);
}
