import { counted } from "@toolbus/contracts";
import { knownFinding, knownFixes, likelyFixes, openFinding } from "./advisory-rules.ts";
import type { ChangeFinding } from "./change-finding.ts";
import { atCommits, atFiles, finding, named } from "./evidence.ts";
import { type CommitFacts, type ProductChange, isRelease, textOf, touches, typeOf } from "./product-change.ts";
import { dependencyFinding } from "./security-steps.ts";
import { ATTACKS, cleansInput, namesAdvisory, saysCompanion, saysHardening, saysRepair, saysSecurityFix } from "./security-words.ts";

/** Returns the findings about vulnerabilities. A commit counts once, by the first rule that applies to it. */
export function securityFindings(change: ProductChange): readonly ChangeFinding[] {
  const merges = mergedCommits(change.facts.commits.list);
  const found: Readonly<Record<Matter, CommitFacts[]>> = { known: [], relaxed: [], advisory: [], wording: [], hardening: [] };
  const fixes = knownFixes(change);
  for (const commit of change.facts.commits.list) {
    if (fixes.has(commit.hash)) {
      found.known.push(commit);
      continue;
    }
    if (!isCandidate(commit) || isKnown(commit, change)) continue;
    const matter = matterOf(commit, merges.get(commit.hash));
    if (matter !== null) found[matter].push(commit);
  }
  addCompanions(found, change);
  const idsOf = (commits: readonly CommitFacts[]) =>
    distinct(commits.flatMap(({ advisories, hash }) => advisories ?? merges.get(hash)?.ids ?? []));
  const likely = likelyFixes(change, found.known, found);
  const known = knownFinding(change, found.known, likely, found.advisory);
  const isFixed = found.advisory.length + found.wording.length + known.length > 0;
  const others = (commits: readonly CommitFacts[]) => commits.filter((commit) => !likely.includes(commit));
  return [
    ...known,
    ...advisoryFinding(others(found.advisory), idsOf(others(found.advisory)), change),
    ...wordingFinding(others(found.wording), change),
    ...(isFixed ? [] : announcedFinding(change)),
    ...dependencyFinding(change),
    ...openFinding(change),
    ...relaxedFinding(found.relaxed, idsOf(found.relaxed)),
    ...hardeningFinding(found.hardening),
  ];
}

/** Returns true if a commit may be a fix. The template of a page is no code, but what it shows must be escaped. */
function isCandidate(commit: CommitFacts): boolean {
  if (ASIDE.has(typeOf(commit)) || isRelease(commit)) return false;
  if (touches(commit, "code")) return true;
  return touches(commit, "other") && (typeOf(commit) === "security" || cleansInput(commit.subject) || namesAdvisory(commit));
}

/** In a release that closes ways to do harm, further commits with weaker words are fixes too, and so are repairs that break users on purpose. */
function addCompanions(
  { known: published, advisory, wording, relaxed, hardening }: Readonly<Record<Matter, CommitFacts[]>>,
  change: ProductChange,
): void {
  const isAnnounced = (change.facts.changelog?.list ?? []).some(({ says }) => says.includes("security"));
  const isPublished = (change.facts.advisories?.fixed.list.length ?? 0) > 0;
  if (advisory.length + wording.length === 0 && !isAnnounced && !isPublished) return;
  const known = new Set([...published, ...advisory, ...wording, ...relaxed, ...hardening]);
  const more = change.commits.filter(
    (commit) =>
      !known.has(commit) &&
      !isKnown(commit, change) &&
      (saysCompanion(commit.subject) || (commit.breaking === true && typeOf(commit) === "fix" && !/^fix\(types?\)/.test(commit.subject))),
  );
  // A limit of depth is a mere precaution, unless the release closes ways to do harm.
  const turned = hardening.filter(({ subject }) => saysCompanion(subject));
  hardening.splice(0, hardening.length, ...hardening.filter((commit) => !turned.includes(commit)));
  wording.push(...turned, ...more);
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.toUpperCase()))].toSorted();
}

type Matter = "known" | "relaxed" | "advisory" | "wording" | "hardening";

function matterOf(commit: CommitFacts, merge: Merge | undefined): Matter | null {
  const hasAdvisory = (commit.advisories ?? merge?.ids ?? []).length > 0;
  if (hasAdvisory && isRelaxing(commit)) return "relaxed";
  if (isAdvisoryFix(commit) || (merge && !merge.relaxes && saysRepair(commit.subject) && !isComment(commit))) return "advisory";
  if (saysSecurityFix(commit.subject) || bodySaysFix(commit)) return "wording";
  if (!saysHardening(commit.subject)) return null;
  // Nobody calls a mere precaution a vulnerability.
  return /^harden/i.test(textOf(commit.subject)) && (commit.security ?? []).includes("vulnerability") ? "wording" : "hardening";
}

function advisoryFinding(commits: readonly CommitFacts[], ids: readonly string[], change: ProductChange): readonly ChangeFinding[] {
  if (commits.length === 0) return [];
  const text = `${counted(commits.length, "commit")} to product code ${commits.length === 1 ? "fixes" : "fix"} a vulnerability${ids.length > 0 ? ` (${named(ids, 6)})` : ""}.`;
  return [finding("security-advisory", "high", text, [...atCommits(commits), ...onlyFile(change)])];
}

function wordingFinding(commits: readonly CommitFacts[], change: ProductChange): readonly ChangeFinding[] {
  if (commits.length === 0) return [];
  const says = commits.length === 1 ? "says that it closes" : "say that they close";
  const text = `${counted(commits.length, "commit")} to product code ${says} a way to do harm.`;
  return [finding("security-wording", "high", text, [...atCommits(commits), ...onlyFile(change)])];
}

function announcedFinding(change: ProductChange): readonly ChangeFinding[] {
  const commits = change.facts.commits.list.filter(
    (commit) =>
      touches(commit, "docs") &&
      !touches(commit, "code", "manifest", "lockfile") &&
      namesAdvisory(commit) &&
      !isRelaxing(commit) &&
      !isKnown(commit, change),
  );
  if (commits.length === 0 || change.changedLines === 0) return [];
  const ids = distinct(commits.flatMap(({ advisories }) => advisories ?? []));
  return [finding("security-announced", "high", `The messages name ${named(ids)}, but not the commit that fixes it.`, atCommits(commits))];
}

function relaxedFinding(commits: readonly CommitFacts[], ids: readonly string[]): readonly ChangeFinding[] {
  if (commits.length === 0) return [];
  return [finding("security-relaxed", "medium", `The fix of ${named(ids)} is changed again.`, atCommits(commits))];
}

function hardeningFinding(commits: readonly CommitFacts[]): readonly ChangeFinding[] {
  if (commits.length === 0) return [];
  const text = `${counted(commits.length, "commit")} to product code ${commits.length === 1 ? "makes" : "make"} an attack harder.`;
  return [finding("security-hardening", "medium", text, atCommits(commits))];
}

const ASIDE: ReadonlySet<string> = new Set([
  "doc",
  "docs",
  "test",
  "tests",
  "ci",
  "build",
  "example",
  "examples",
  "lint",
  "style",
  "bench",
]);

// An advisory that only the body names may be a mere mention of it, so the subject must say that something is repaired.
function isAdvisoryFix(commit: CommitFacts): boolean {
  // GitHub gives the merge of an advisory's private fork this subject.
  if (commit.privateMerge || /^merge commit from fork\b/i.test(commit.subject)) return true;
  if ((commit.advisories ?? []).length === 0) return false;
  // A stricter check repairs too.
  return (
    namesAdvisory(commit) || saysRepair(commit.subject) || /\b(?:strict(?:er|ly)?|complian\w{1,4}|harden\w{0,3})\b/i.test(commit.subject)
  );
}

function bodySaysFix(commit: CommitFacts): boolean {
  return (
    ((commit.repairs ?? []).some((word) => ATTACKS.has(word)) &&
      !/^(?:add|support|allow|expose|document|increase|raise|relax)/i.test(textOf(commit.subject))) ||
    // The body speaks of a vulnerability, and the subject says what is kept out.
    ((commit.repairs ?? []).includes("vulnerability") && cleansInput(commit.subject)) ||
    // The body names an attack without a verb, and the subject cleans what comes in.
    ((commit.security ?? []).some((word) => ATTACKS.has(word)) && cleansInput(commit.subject)) ||
    // The body speaks of security, and the subject repairs what keeps others out.
    ((commit.security ?? []).includes("security") &&
      saysRepair(commit.subject) &&
      /\b(?:cors|csrf|auth\w{0,11}|origins?|cookies?|sessions?|jwt|tls|subdomains?)\b/i.test(commit.subject)) ||
    // The body says whose access was not checked.
    ((commit.security ?? []).includes("access_control") && saysRepair(commit.subject) && /\baccess\b/i.test(commit.subject))
  );
}

function isRelaxing({ subject }: CommitFacts): boolean {
  return /\b(?:relax|loosen|regression|too strict)\w{0,3}\b/i.test(textOf(subject));
}

/** The advisories of the merge that a commit belongs to, and whether the merge relaxes an earlier fix of them. */
interface Merge {
  readonly ids: readonly string[];
  readonly relaxes: boolean;
}

/** Returns the commits of merges that name an advisory, by hash. In the log, the commits of a merge follow it. */
function mergedCommits(list: readonly CommitFacts[]): ReadonlyMap<string, Merge> {
  const found = new Map<string, Merge>();
  for (const [at, merge] of list.entries()) {
    const ids = merge.advisories ?? [];
    if (merge.parents < 2 || ids.length === 0) continue;
    const after = list.slice(at + 1);
    const next = after.findIndex(({ parents }) => parents > 1);
    const own = next === -1 ? after : after.slice(0, next);
    const relaxes = own.some(isRelaxing);
    for (const { hash } of own) found.set(hash, { ids, relaxes });
  }
  return found;
}

function isComment({ subject }: CommitFacts): boolean {
  return /\b(?:comments?|typos?|document(?:ation)?|unused|headers)\b/i.test(subject);
}

// If the base is on another branch, its own commits may appear again, such as "Bring 2.0.7 to main".
function isKnown({ subject }: CommitFacts, { facts }: ProductChange): boolean {
  return !facts.baseIsAncestor && facts.version.from !== null && subject.includes(facts.version.from);
}

/** The file of product code, if the release changes only one: then the fix must be in it. */
function onlyFile({ files, fileCount }: ProductChange) {
  return fileCount === 1 ? atFiles(files) : [];
}
