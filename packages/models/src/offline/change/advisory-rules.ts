import { counted } from "@toolbus/contracts";
import type { ReleaseFacts } from "@toolbus/release-facts";
import type { ChangeFinding } from "./change-finding.ts";
import { changeThresholds } from "./change-thresholds.ts";
import { atAdvisories, atCommits, finding, named } from "./evidence.ts";
import { type CommitFacts, isRelease, type ProductChange, textOf, touches, typeOf } from "./product-change.ts";

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
  // An advisory often links to the commit that makes the release, which is no fix.
  const isFix = (hash: string) => {
    const commit = change.facts.commits.list.find((each) => each.hash === hash);
    return commit === undefined || !isRelease(commit) || change.commits.includes(commit);
  };
  const fixes = commits.filter(isFix);
  return fixes.length === 0 && isSure ? [only.hash] : fixes;
}

/** What the release has besides the commits that advisories name: commits that name an advisory or merge a private fix, and those with the words of a fix. */
interface OtherFixes {
  readonly advisory: readonly CommitFacts[];
  readonly wording: readonly CommitFacts[];
}

/**
 * Returns the commits that are probably the fixes of the advisories that name none, because a reviewer needs a place to look at. The most telling commits
 * come first, and weaker ones follow only if there are more such advisories: commits with the words of a fix, then those whose body names an attack, and
 * then repairs with a test. Too many weaker ones are none, because somewhere in the release is no place to look at.
 */
export function likelyFixes(
  change: ProductChange,
  known: readonly CommitFacts[],
  { advisory, wording }: OtherFixes,
): readonly CommitFacts[] {
  const missing = unplacedIn(change, known, advisory).length;
  if (missing === 0) return [];
  const clear = [...advisory.filter((commit) => (commit.advisories ?? []).length === 0), ...wording];
  const taken = new Set([...known, ...advisory, ...wording]);
  const left = change.commits.filter((commit) => !taken.has(commit) && !ADDS.has(typeOf(commit)) && !saysAddition(commit));
  const telling = few(left.filter(({ security = [] }) => security.some((word) => !VAGUE.has(word))));
  const some = clear.length >= missing ? clear : [...clear, ...telling];
  if (some.length >= missing || change.facts.commits.omitted > 0) return some;
  return [...new Set([...some, ...few(left.filter((commit) => touches(commit, "test")))])];
}

function few(commits: readonly CommitFacts[]): readonly CommitFacts[] {
  return commits.length > changeThresholds.likelyFixes.value ? [] : commits;
}

/** Words in a body that are no attack: many ordinary commits are about the access to something. */
const VAGUE: ReadonlySet<string> = new Set(["security", "access_control"]);
const ADDS: ReadonlySet<string> = new Set(["feat", "feature", "perf", "revert"]);

function saysAddition(commit: CommitFacts): boolean {
  return typeOf(commit) !== "fix" && /^(?:add|allow|support|implement|introduce|new)\b/i.test(textOf(commit.subject));
}

/** Returns the advisories of which no commit is known. If a commit of `mentioning` names an advisory, that commit is its fix. */
function unplacedIn(change: ProductChange, known: readonly CommitFacts[], mentioning: readonly CommitFacts[]): readonly FixedAdvisory[] {
  const hashes = new Set(known.map(({ hash }) => hash));
  const mentioned = new Set(mentioning.flatMap(({ advisories = [] }) => advisories.map((id) => id.toUpperCase())));
  const isPlaced = (advisory: FixedAdvisory): boolean =>
    fixesOf(advisory, change).some((hash) => hashes.has(hash)) || namesOf(advisory).some((id) => mentioned.has(id));
  return (change.facts.advisories?.fixed.list ?? []).filter((advisory) => !isPlaced(advisory));
}

/**
 * Returns the finding about published advisories that the release fixes. `known` are the commits of `knownFixes`, and `likely` those of `likelyFixes`. An
 * advisory without a commit is a place of its own, unless one of the `others` names it.
 */
export function knownFinding(
  change: ProductChange,
  known: readonly CommitFacts[],
  likely: readonly CommitFacts[],
  others: readonly CommitFacts[],
): readonly ChangeFinding[] {
  const { list = [], omitted = 0 } = change.facts.advisories?.fixed ?? {};
  if (list.length === 0) return [];
  const unplaced = unplacedIn(change, known, others);
  const count = list.length + omitted;
  const worst = LEVELS.find((level) => list.some(({ severity }) => severity === level));
  const ids = named(
    list.map(({ id }) => id),
    6,
  );
  const level = worst === undefined ? "" : `, ${count === 1 ? "of severity" : "at most of severity"} ${worst}`;
  const open = unplaced.length === 1 ? "1 advisory" : `${unplaced.length} advisories`;
  const where = likely.length === 0 ? "" : ` ${open} without a commit may be fixed by ${counted(likely.length, "commit")}.`;
  const text = `The release fixes ${vulnerabilities(count)} (${ids})${level}.${where}`;
  return [finding("security-known", "high", text, [...atCommits([...known, ...likely]), ...atAdvisories(unplaced.map(({ id }) => id))])];
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
