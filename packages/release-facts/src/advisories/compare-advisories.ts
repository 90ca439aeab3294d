import type { Git } from "../git-command.ts";
import type { AdvisoryFacts, ChangelogFacts, CommitFacts, ReleaseFacts } from "../release-facts.ts";
import type { ReleaseRange } from "../release-range.ts";
import { advisoryFacts } from "./advisory-facts.ts";
import { withCommitsOfMerges } from "./commits-of-merges.ts";
import type { Advisory } from "./osv.ts";
import { packageNames } from "./package-names.ts";

/** What is known about a release before advisories are compared with it. */
export interface KnownRelease {
  readonly version: ReleaseFacts["version"];
  /** Every commit of the release. */
  readonly commits: readonly CommitFacts[];
  readonly changelog: ChangelogFacts;
  readonly directory: string | null;
}

/** Compares advisories with a release. The names of the package come from the manifests at both ends. */
export async function compareAdvisories(
  git: Git,
  advisories: readonly Advisory[],
  { base, head }: ReleaseRange,
  { version, commits, changelog, directory }: KnownRelease,
): Promise<AdvisoryFacts> {
  const facts = advisoryFacts(advisories, {
    base: { version: version.from, names: await packageNames(git, base.id, directory) },
    head: { version: version.to, names: await packageNames(git, head.id, directory) },
    commits,
    mentioned: [...commits, ...changelog.list].flatMap((each) => each.advisories ?? []),
  });
  return withCommitsOfMerges(git, facts, commits);
}
