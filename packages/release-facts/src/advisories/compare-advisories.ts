import type { Git } from "../git-command.ts";
import type { AdvisoryFacts, ChangelogFacts, CommitFacts, DependencyChange, ReleaseFacts } from "../release-facts.ts";
import type { ReleaseRange } from "../release-range.ts";
import { advisoryFacts } from "./advisory-facts.ts";
import type { AdvisorySubjects } from "./advisory-subjects.ts";
import { withCommitsOfMerges } from "./commits-of-merges.ts";
import { dependencyAdvisories } from "./dependency-advisories.ts";
import { dependencySteps } from "./dependency-steps.ts";
import { goSteps } from "./go-release.ts";
import type { Advisory } from "./osv.ts";
import { keyOfPackage, type PackageName, packageNames } from "./package-names.ts";
import { compareVersions } from "./version-order.ts";
import type { WorkspaceEnds, WorkspacePackage } from "../workspace-packages.ts";

/** What is known about a release before advisories are compared with it. */
export interface KnownRelease {
  readonly version: ReleaseFacts["version"];
  /** Every commit of the release. */
  readonly commits: readonly CommitFacts[];
  readonly changelog: ChangelogFacts;
  readonly directory: string | null;
  /** Every step of a dependency. */
  readonly dependencies: readonly DependencyChange[];
  /** The packages of the repository at both ends. */
  readonly workspace: WorkspaceEnds;
  readonly isGoProgram: boolean;
  /** How many items a list of the facts may have. */
  readonly most: number;
}

/** Advisories, or a function that reads those that are about a release. A whole database should not be in memory, so it is read by a function. */
export type AdvisorySource = readonly Advisory[] | ((about: AdvisorySubjects) => Promise<readonly Advisory[]>);

/** Compares advisories with a release and its dependencies. The names of the package come from the manifests at both ends. */
export async function compareAdvisories(
  git: Git,
  source: AdvisorySource,
  { base, head }: ReleaseRange,
  { version, commits, changelog, directory, dependencies, workspace, isGoProgram, most }: KnownRelease,
): Promise<AdvisoryFacts> {
  const before = namesOf(await packageNames(git, base.id, directory), directory === null ? workspace.before : [], version.from);
  const after = namesOf(await packageNames(git, head.id, directory), directory === null ? workspace.after : [], version.to);
  // A manifest that the release adds must not hide the step of a dependency with the same name.
  const earlier = new Set(before.map(keyOfPackage));
  const own = new Set(after.map(keyOfPackage).filter((key) => earlier.has(key)));
  const steps = dependencySteps(dependencies, await goSteps(git, [base.id, head.id], directory, isGoProgram)).filter(
    (step) => !own.has(keyOfPackage(step)),
  );
  const subjects = { names: [...before, ...after, ...steps], commits: commits.map(({ hash }) => hash) };
  const advisories = typeof source === "function" ? await source(subjects) : source;
  const facts = advisoryFacts(advisories, {
    base: { version: version.from, names: before },
    head: { version: version.to, names: after },
    commits,
    mentioned: [...commits, ...changelog.list].flatMap((each) => each.advisories ?? []),
  });
  const ofDependencies = dependencyAdvisories(advisories, steps, Math.min(MOST_STEPS, Math.max(LEAST_STEPS, Math.trunc(most / 10))));
  return { ...(await withCommitsOfMerges(git, facts, commits)), ...(ofDependencies === undefined ? {} : { dependencies: ofDependencies }) };
}

/**
 * Returns the names of the package, and for a whole repository also those of its packages with the version of the release: a workspace is released at once,
 * and an advisory names the one of its packages that has the fault.
 */
function namesOf(names: readonly PackageName[], workspace: readonly WorkspacePackage[], version: string | null): readonly PackageName[] {
  if (version === null) return names;
  const known = new Set(names.map(keyOfPackage));
  const others = workspace.filter(
    (each) =>
      each.ecosystem !== "Go" && each.version !== null && compareVersions(each.version, version) === 0 && !known.has(keyOfPackage(each)),
  );
  return [...names, ...others.map(({ ecosystem, name }) => ({ ecosystem, name }))];
}

/** The most steps of dependencies in the largest and in the smallest facts. */
const MOST_STEPS = 8;
const LEAST_STEPS = 2;
