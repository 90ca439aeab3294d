import type { Git } from "../git-command.ts";
import type { AdvisoryFacts, CommitFacts } from "../release-facts.ts";

/** A merge of a security fix has few commits. One with more is a merge of a whole branch, and says nothing about which commit is the fix. */
const MOST_COMMITS = 20;
/** The most commits of one advisory that the facts name. */
const MOST_FIXES = 12;

/**
 * Replaces each merge among the fixes of advisories by its own commits to code, because whoever reviews a fix needs the change and not the merge. A merge
 * without such commits stays.
 */
export async function withCommitsOfMerges(git: Git, facts: AdvisoryFacts, commits: readonly CommitFacts[]): Promise<AdvisoryFacts> {
  const known = new Map(commits.map((commit) => [commit.hash, commit]));
  const inside = async (hash: string): Promise<readonly string[]> => {
    if ((known.get(hash)?.parents ?? 1) < 2) return [hash];
    const output = await git.run(["rev-list", "--no-merges", `--max-count=${MOST_COMMITS + 1}`, `${hash}^1..${hash}`]);
    const all = output.toString("utf8").split("\n").filter(Boolean);
    const own = all.map((id) => id.slice(0, 12)).filter((id) => known.get(id)?.touches?.includes("code"));
    return all.length > MOST_COMMITS || own.length === 0 ? [hash] : own.toReversed();
  };
  const list: AdvisoryFacts["fixed"]["list"] = [];
  for (const { commits: fixes, ...advisory } of facts.fixed.list) {
    const own = (await Promise.all((fixes ?? []).map(inside))).flat();
    list.push({ ...advisory, ...(own.length > 0 ? { commits: [...new Set(own)].slice(0, MOST_FIXES) } : {}) });
  }
  return { ...facts, fixed: { ...facts.fixed, list } };
}
