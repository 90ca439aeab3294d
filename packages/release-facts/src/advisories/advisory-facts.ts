import { compare, line } from "../clean-text.ts";
import type { AdvisoryFacts, CommitFacts, FixedAdvisory } from "../release-facts.ts";
import { hashesOf, numbersOf } from "./advisory-commits.ts";
import { fixedBetween, isAffected } from "./affected-versions.ts";
import { type Advisory, isAdvisoryId } from "./osv.ts";
import { isSamePackage, type PackageName } from "./package-names.ts";
import { sameAdvisories } from "./same-advisories.ts";

/** What is known about the release that the advisories are compared with. A version is null if nobody knows it. */
export interface ComparedRelease {
  readonly base: { readonly version: string | null; readonly names: readonly PackageName[] };
  readonly head: { readonly version: string | null; readonly names: readonly PackageName[] };
  /** Every commit of the release. */
  readonly commits: readonly CommitFacts[];
  /** Ids of advisories that messages and changelogs of the release name. */
  readonly mentioned: readonly string[];
}

const MOST_FIXED = 20;
const MOST_OPEN = 10;
const MOST_SETTLED = 20;

/**
 * Returns which advisories a release fixes, and which of its package it leaves open. A release fixes an advisory if the earlier version is affected and the
 * later one is not, or if it contains a commit that the advisory names and the earlier version is not known to be safe. An advisory with a commit of the release counts for any package, because no other
 * repository has that commit.
 */
export function advisoryFacts(advisories: readonly Advisory[], release: ComparedRelease): AdvisoryFacts {
  const named = commitsOf(release.commits);
  const fixed: FixedAdvisory[] = [];
  const open: { id: string; aliases: readonly string[]; fresh: boolean }[] = [];
  const settled: string[] = [];
  const mentioned = new Set(release.mentioned.map((id) => id.toUpperCase()));
  const about = new Set<string>();
  for (const advisory of advisories) {
    const before = statusOf(advisory, release.base);
    const after = statusOf(advisory, release.head);
    const hashes = named.byHash(hashesOf(advisory));
    const isOurs = before.isOurs || after.isOurs;
    if (isOurs || hashes.length > 0) about.add(advisory.id);
    // If the earlier version is not affected, it has the fix by another commit, such as a backport.
    const hasFix = hashes.length > 0 && before.affected !== false;
    if (hasFix || (before.affected === true && after.affected === false)) {
      // A number of a pull request means nothing in another repository, so the package must be ours.
      const commits = [...new Set([...hashes, ...(isOurs ? named.byNumber(numbersOf(advisory)) : [])])];
      fixed.push(fixedAdvisory(advisory, commits, after.fixedIn(release.base.version, release.head.version)));
    } else if (after.affected === true)
      open.push({ id: line(advisory.id, 60), aliases: advisory.aliases ?? [], fresh: before.affected === false });
    else if (before.affected === false)
      settled.push(...[advisory.id, ...(advisory.aliases ?? [])].map((id) => line(id.toUpperCase(), 60)).filter((id) => mentioned.has(id)));
  }
  const once = sameAdvisories(fixed.toSorted(byId)).map(merged);
  const openOnce = sameAdvisories(open.toSorted(byId)).flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ id: first.id, fresh: [first, ...others].every(({ fresh }) => fresh) }],
  );
  return {
    ofPackage: about.size,
    fixed: { omitted: Math.max(0, once.length - MOST_FIXED), list: once.toSorted(byId).slice(0, MOST_FIXED) },
    open: {
      omitted: Math.max(0, openOnce.length - MOST_OPEN),
      list: openOnce
        .toSorted((a, b) => Number(b.fresh) - Number(a.fresh) || byId(a, b))
        .slice(0, MOST_OPEN)
        .map(({ id, fresh }) => ({ id, ...(fresh ? { fresh: true as const } : {}) })),
    },
    ...(settled.length > 0 ? { settled: [...new Set(settled)].toSorted(compare).slice(0, MOST_SETTLED) } : {}),
  };
}

/** Several databases may have an advisory about one vulnerability. The first one stands for all, with what the others know besides. */
function merged([first, ...others]: readonly FixedAdvisory[]): FixedAdvisory {
  if (first === undefined) throw new Error("A group has at least one advisory.");
  if (others.length === 0) return first;
  const all = [first, ...others];
  const aliases = [...new Set(all.flatMap(({ id, aliases: names = [] }) => [id, ...names]))]
    .filter((name) => name !== first.id)
    .slice(0, 5);
  const commits = [...new Set(all.flatMap((each) => each.commits ?? []))].slice(0, 5);
  return {
    ...Object.assign({}, ...all.toReversed()),
    ...(aliases.length > 0 ? { aliases } : {}),
    ...(commits.length > 0 ? { commits } : {}),
  };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return compare(a.id, b.id);
}

interface Status {
  readonly isOurs: boolean;
  /** Null if the advisory is about another package or has no versions, or if the version is not known. */
  readonly affected: boolean | null;
  fixedIn(base: string | null, head: string | null): string | null;
}

function statusOf({ affected = [] }: Advisory, { version, names }: ComparedRelease["head"]): Status {
  const own = affected.filter(({ package: about }) => about !== undefined && names.some((name) => isSamePackage(name, about)));
  const answers = version === null ? [] : own.map((entry) => isAffected(entry, version)).filter((answer) => answer !== null);
  return {
    isOurs: own.length > 0,
    affected: answers.length === 0 ? null : answers.includes(true),
    fixedIn: (base, head) =>
      base === null || head === null ? null : (own.map((entry) => fixedBetween(entry, base, head)).find(Boolean) ?? null),
  };
}

/** A version is a word. A sentence after its number would speak to whoever reads the facts. */
const IS_VERSION = /^[\w.!+~:-]{1,60}$/;

function fixedAdvisory(
  { id, aliases = [], published, database_specific: specific }: Advisory,
  commits: readonly string[],
  fixedIn: string | null,
): FixedAdvisory {
  const severity = severityIn(specific);
  const otherIds = aliases.filter(isAdvisoryId).slice(0, 5);
  const date = published === undefined ? Number.NaN : Date.parse(published);
  return {
    id: line(id, 60),
    ...(otherIds.length > 0 ? { aliases: otherIds.map((alias) => line(alias, 60)) } : {}),
    ...(severity === null ? {} : { severity }),
    ...(fixedIn === null || !IS_VERSION.test(fixedIn) ? {} : { fixedIn }),
    ...(Number.isNaN(date) ? {} : { published: new Date(date).toISOString().slice(0, 10) }),
    ...(commits.length > 0 ? { commits: commits.slice(0, 5) } : {}),
  };
}

/** GitHub's advisories say LOW, MODERATE, HIGH or CRITICAL, and others say MEDIUM. */
function severityIn(specific: unknown): NonNullable<FixedAdvisory["severity"]> | null {
  const value: unknown = typeof specific === "object" && specific !== null && "severity" in specific ? specific.severity : null;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (text === "medium") return "moderate";
  return text === "low" || text === "moderate" || text === "high" || text === "critical" ? text : null;
}

/** Finds commits of the release by the hashes and by the numbers of pull requests that somebody else wrote. */
function commitsOf(list: readonly CommitFacts[]) {
  const known = new Set(list.map(({ hash }) => hash));
  const numbers = new Map<string, string>();
  for (const { hash, subject } of list) {
    const [, number] = /(?:\(#|^Merge pull request #|^Merge PR #)(\d{1,7})\b/.exec(subject) ?? [];
    if (number !== undefined && !numbers.has(number)) numbers.set(number, hash);
  }
  return {
    byHash: (hashes: readonly string[]) =>
      hashes.flatMap((hash) => {
        const short = hash.toLowerCase().slice(0, 12);
        if (known.has(short)) return [short];
        return hash.length >= 12 ? [] : [...known].filter((each) => each.startsWith(short));
      }),
    byNumber: (wanted: readonly string[]) => wanted.flatMap((number) => numbers.get(number) ?? []),
  };
}
