import type { ReleaseFacts } from "@toolbus/release-facts";
import type { ChangeFinding } from "./change-finding.ts";
import { atAdvisories, atCommits, finding, named } from "./evidence.ts";
import type { CommitFacts, ProductChange } from "./product-change.ts";

type FixedAdvisory = NonNullable<ReleaseFacts["advisories"]>["fixed"]["list"][number];

/**
 * Returns the hashes of the commits that a given list of advisories calls fixes. If the release has only one commit to product code, that commit is the fix
 * of every advisory that names none.
 */
export function knownFixes(change: ProductChange): ReadonlySet<string> {
  const list = change.facts.advisories?.fixed.list ?? [];
  return new Set(list.flatMap((advisory) => fixesOf(advisory, change)));
}

function fixesOf({ commits = [] }: FixedAdvisory, change: ProductChange): readonly string[] {
  const [only, ...more] = change.commits;
  const isSure = only !== undefined && more.length === 0 && change.facts.commits.omitted === 0;
  return commits.length === 0 && isSure ? [only.hash] : commits;
}

/**
 * Returns the finding about published advisories that the release fixes. `fixes` are the commits of `knownFixes`. An advisory without a commit is a place of
 * its own, unless one of the `others` names it, because then that commit is the fix.
 */
export function knownFinding(
  change: ProductChange,
  fixes: readonly CommitFacts[],
  others: readonly CommitFacts[],
): readonly ChangeFinding[] {
  const { list = [], omitted = 0 } = change.facts.advisories?.fixed ?? {};
  if (list.length === 0) return [];
  const hashes = new Set(fixes.map(({ hash }) => hash));
  const mentioned = new Set(others.flatMap(({ advisories = [] }) => advisories.map((id) => id.toUpperCase())));
  const isPlaced = (advisory: FixedAdvisory): boolean =>
    fixesOf(advisory, change).some((hash) => hashes.has(hash)) || namesOf(advisory).some((id) => mentioned.has(id));
  const unplaced = list.filter((advisory) => !isPlaced(advisory));
  const count = list.length + omitted;
  const worst = LEVELS.find((level) => list.some(({ severity }) => severity === level));
  const ids = named(
    list.map(({ id }) => id),
    6,
  );
  const text = `The release fixes ${vulnerabilities(count)} (${ids})${worst === undefined ? "" : `, ${count === 1 ? "of severity" : "at most of severity"} ${worst}`}.`;
  return [finding("security-known", "high", text, [...atCommits(fixes), ...atAdvisories(unplaced.map(({ id }) => id))])];
}

/** Returns the finding about advisories that affect the later version too. */
export function openFinding({ facts }: ProductChange): readonly ChangeFinding[] {
  const { list = [], omitted = 0 } = facts.advisories?.open ?? {};
  if (list.length === 0) return [];
  const fresh = list.filter((advisory) => advisory.fresh);
  const count = list.length + omitted;
  const brings = fresh.length === 0 ? "" : ` It brings ${named(fresh.map(({ id }) => id))}, which the earlier version does not have.`;
  const text = `The release has ${vulnerabilities(count)}.${brings}`;
  return [finding("open-advisory", fresh.length > 0 ? "high" : "medium", text, atAdvisories(list.map(({ id }) => id)))];
}

function vulnerabilities(count: number): string {
  return count === 1 ? "1 published vulnerability" : `${count} published vulnerabilities`;
}

const LEVELS = ["critical", "high", "moderate", "low"] as const;

/** Returns every id of the published advisories that the release fixes, in capitals. */
export function publishedIds({ advisories }: ReleaseFacts): ReadonlySet<string> {
  return new Set((advisories?.fixed.list ?? []).flatMap(namesOf));
}

function namesOf({ id, aliases = [] }: FixedAdvisory): readonly string[] {
  return [id, ...aliases].map((name) => name.toUpperCase());
}
