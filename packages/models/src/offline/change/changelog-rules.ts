import { counted } from "@toolbus/contracts";
import type { ReleaseFacts } from "@toolbus/release-facts";
import { publishedIds } from "./advisory-rules.ts";
import { promised } from "./breaking-rules.ts";
import type { ChangeFinding, Evidence } from "./change-finding.ts";
import { cleanText } from "../clean-text.ts";
import { atCommits, finding, named } from "./evidence.ts";
import { type CommitFacts, isRelease, type ProductChange, textOf } from "./product-change.ts";

type Entry = NonNullable<ReleaseFacts["changelog"]>["list"][number];

/**
 * Returns the findings about what the changelog of the release says and no other finding shows. The facts have no text of a changelog, only what kind
 * of thing an entry says, and the commits that it is about.
 */
export function changelogFindings(change: ProductChange, others: readonly ChangeFinding[]): readonly ChangeFinding[] {
  const { facts, fileCount } = change;
  const entries = facts.changelog?.list ?? [];
  if (fileCount === 0 && facts.dependencies.list.length === 0) return [];
  return [
    ...securityEntries(entriesFor("security", entries, change, others), change),
    ...breakingEntries(
      promises(
        entriesFor(
          "breaking",
          entries.filter(({ says }) => !says.includes("removed")),
          change,
          others,
        ),
        change,
      ),
      change,
    ),
    ...removedEntries(promises(entriesFor("removed", entries, change, others), change), change),
  ];
}

type Mark = "security" | "breaking" | "removed";

const KINDS = {
  security: ["security_fix", "security_hardening", "risky_area"],
  breaking: ["breaking_change", "removed_api"],
  removed: ["removed_api", "breaking_change"],
} as const satisfies Record<Mark, readonly ChangeFinding["kind"][]>;

/** Returns the entries that no other finding is about. An entry without commits counts only if there is no other finding of its kind. */
function entriesFor(mark: Mark, entries: readonly Entry[], { facts }: ProductChange, others: readonly ChangeFinding[]): readonly Entry[] {
  const kinds: readonly string[] = KINDS[mark];
  const same = others.filter(({ kind }) => kinds.includes(kind));
  const known = new Set(same.flatMap(({ evidence }) => evidence.flatMap((place) => ("commit" in place ? [place.commit] : []))));
  // A marker of a commit says the same as the entry, and a removal is not breaking once more.
  const listed = new Map(facts.commits.list.map((commit) => [commit.hash, commit]));
  const published = publishedIds(facts);
  return entries.filter(({ says, commits = [], advisories = [] }) => {
    // The finding about published advisories says the same.
    if (advisories.length > 0 && advisories.every((id) => published.has(id.toUpperCase()))) return false;
    if (!says.includes(mark) || (mark !== "security" && says.includes("security"))) return false;
    const own = commits.flatMap((hash) => listed.get(hash) ?? []).filter((commit) => !isRelease(commit));
    if (own.length > 0 && own.every((commit) => isHarmless(commit, mark))) return false;
    const about = commits.filter((hash) => isAbout(listed.get(hash)));
    // Changelogs also tell what a dependency removed, and that is no removal from this product.
    const inCode = about.some((hash) => listed.get(hash)?.touches?.includes("code"));
    if (mark !== "security" && about.length > 0 && !inCode) return false;
    return about.length > 0 ? !about.some((hash) => known.has(hash)) : same.length === 0;
  });
}

/** A patch promises that nothing breaks. So one entry without a commit is mostly a note about something else, such as the docs or a dependency. */
function promises(entries: readonly Entry[], { facts }: ProductChange): readonly Entry[] {
  const isAlone = entries.length === 1 && entries.every(({ commits = [] }) => commits.length === 0);
  return facts.version.step === "patch" && isAlone ? [] : entries;
}

/** Whoever makes the release writes the changelog for changes of others. */
function isAbout(commit: CommitFacts | undefined): boolean {
  return commit !== undefined && !isRelease(commit);
}

/** A test has no vulnerability. Nobody needs what a commit takes back, or a requirement that is gone. */
function isHarmless({ subject }: CommitFacts, mark: Mark): boolean {
  if (mark === "security") return /\btests?\b["'`]?(?: \(#\d+\))?$/i.test(subject);
  return /^revert\b|^(?:drop|remove)[sd]?\b.{1,40}\b(?:requirement|restriction)s?\b/i.test(textOf(subject));
}

function securityEntries(entries: readonly Entry[], change: ProductChange): readonly ChangeFinding[] {
  if (entries.length === 0) return [];
  const ids = [...new Set(entries.flatMap(({ advisories }) => advisories ?? []).map((id) => id.toUpperCase()))].toSorted();
  const text = `The changelog says that ${counted(entries.length, "change")} ${entries.length === 1 ? "closes" : "close"} a way to do harm${ids.length > 0 ? ` (${named(ids, 6)})` : ""}.`;
  return [finding("security-changelog", "high", text, placesOf(entries, change))];
}

function breakingEntries(entries: readonly Entry[], change: ProductChange): readonly ChangeFinding[] {
  // A major step breaks something anyway, and has a finding of its own.
  if (entries.length === 0 || change.facts.version.step === "major") return [];
  const text = `The changelog calls ${counted(entries.length, "change")} breaking.`;
  return [finding("breaking-changelog", promised(change.facts), text, placesOf(entries, change))];
}

function removedEntries(entries: readonly Entry[], change: ProductChange): readonly ChangeFinding[] {
  if (entries.length === 0) return [];
  const text = `The changelog says that ${counted(entries.length, "thing")} that users had ${entries.length === 1 ? "is" : "are"} removed.`;
  return [finding("removed-changelog", promised(change.facts), text, placesOf(entries, change))];
}

/** Returns the commits that the entries are about. For an entry without one, its place in the changelog. */
function placesOf(entries: readonly Entry[], { facts }: ProductChange): readonly Evidence[] {
  const hashes = new Set(entries.flatMap(({ commits }) => commits ?? []));
  const commits = facts.commits.list.filter((commit) => hashes.has(commit.hash) && !isRelease(commit));
  if (commits.length > 0) return atCommits(commits);
  return entries.map(({ file, line }) => ({ file: cleanText(file, 400), lines: [line, line] as const }));
}
