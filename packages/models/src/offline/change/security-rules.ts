import { counted } from "@toolbus/contracts";
import { knownFinding, knownFixes, likelyFixes, openFinding } from "./advisory-rules.ts";
import type { ChangeFinding } from "./change-finding.ts";
import { atCommits, atDependencies, atFiles, finding, named } from "./evidence.ts";
import { type CommitFacts, type ProductChange, isRelease, textOf, touches, typeOf } from "./product-change.ts";
import { cleansInput, namesSecurity, saysCompanion, saysHardening, saysRepair, saysSecurityFix } from "./security-words.ts";

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
  return touches(commit, "other") && (typeOf(commit) === "security" || cleansInput(commit.subject));
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
  wording.push(...more);
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

function dependencyFinding(change: ProductChange): readonly ChangeFinding[] {
  const { list } = change.facts.commits;
  const commits = list.filter(
    (commit) => touches(commit, "manifest", "lockfile") && !touches(commit, "code") && !isRelease(commit) && isSecurityStep(commit),
  );
  const moved = change.dependencies.filter(({ name }) => commits.some(({ subject }) => isNamed(name, subject)));
  if (moved.length === 0) return unlistedSteps(commits, change);
  const naming = commits.filter(({ subject }) => moved.some(({ name }) => isNamed(name, subject)));
  const how = moved.length === 1 ? "1 runtime dependency moves" : `${moved.length} runtime dependencies move`;
  const text = `${how} for the sake of security: ${named(moved.map(({ name }) => name))}.`;
  return [finding("security-dependency", "high", text, [...atCommits(naming), ...atDependencies(moved)])];
}

/**
 * A step may be of a library that is built in, of a dependency of a dependency, or of many at once. Then no manifest shows it as a runtime dependency that
 * moves, so the subject itself must say what the step is for.
 */
function unlistedSteps(commits: readonly CommitFacts[], { facts }: ProductChange): readonly ChangeFinding[] {
  const tools = facts.dependencies.list.filter(({ use }) => use === "dev");
  const steps = commits.filter(
    (commit) =>
      STEP.test(commit.subject) &&
      !/\bdev(?:elopment)?\b/i.test(commit.subject) &&
      !tools.some(({ name }) => isNamed(name, commit.subject)) &&
      (namesAdvisory(commit) || /\b(?:security|vulnerab\w{1,10}|cves?)\b/i.test(commit.subject)),
  );
  if (steps.length === 0) return [];
  const text = `${counted(steps.length, "commit")} ${steps.length === 1 ? "moves" : "move"} dependencies or libraries that are built in for the sake of security.`;
  return [finding("security-dependency", "high", text, atCommits(steps))];
}

const STEP = /\b(?:bump|move|step|update|upgrade|use)[sd]?\b/i;

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

/** Returns true if the subject itself names the advisory. */
function namesAdvisory({ advisories, subject }: CommitFacts): boolean {
  return (advisories ?? []).some((id) => subject.toUpperCase().includes(id.toUpperCase()));
}

// A body describes many things, so only words that name an attack count, and only if a verb such as prevent stands before them.
const ATTACKS: ReadonlySet<string> = new Set(["injection", "traversal", "prototype_pollution", "smuggling", "denial_of_service"]);

function bodySaysFix(commit: CommitFacts): boolean {
  return (
    ((commit.repairs ?? []).some((word) => ATTACKS.has(word)) &&
      !/^(?:add|support|allow|expose|document|increase|raise|relax)/i.test(textOf(commit.subject))) ||
    // The body speaks of a vulnerability, and the subject says what is kept out.
    ((commit.repairs ?? []).includes("vulnerability") && cleansInput(commit.subject)) ||
    // The body names an attack without a verb, and the subject cleans what comes in.
    ((commit.security ?? []).some((word) => ATTACKS.has(word)) && cleansInput(commit.subject)) ||
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

function isSecurityStep(commit: CommitFacts): boolean {
  return (
    (commit.advisories ?? []).length > 0 ||
    typeOf(commit) === "security" ||
    // The name of a dependency, such as `side-channel`, says nothing about security.
    namesSecurity(commit.subject.replaceAll(/`[^`]{1,80}`/g, "")) ||
    namesAttack(commit) ||
    // "Fix a security issue" in the body of a step.
    (commit.repairs ?? []).includes("security")
  );
}

function namesAttack({ security }: CommitFacts): boolean {
  return (security ?? []).some((word) => ATTACKS.has(word) || word === "vulnerability");
}

const FILLERS: ReadonlySet<string> = new Set(
  "bump update updates upgrade upgraded deps dep dependency dependencies mod package the from for and with due fix security version".split(
    " ",
  ),
);

/** Returns true if a subject names a dependency: by a segment of its name, or by a long word that its name contains. */
function isNamed(dependency: string, subject: string): boolean {
  const name = dependency.toLowerCase();
  const segments = name.split(/[/@]/);
  const words = subject
    .toLowerCase()
    .split(/[^\w.-]+/)
    // Many modules have the same host in their names.
    .filter((word) => word.length >= 3 && !FILLERS.has(word) && !/\.(?:com|dev|in|io|net|org)$/.test(word));
  return words.some((word) => segments.includes(word) || (word.length >= 6 && name.includes(word)));
}

/** The file of product code, if the release changes only one: then the fix must be in it. */
function onlyFile({ files, fileCount }: ProductChange) {
  return fileCount === 1 ? atFiles(files) : [];
}
