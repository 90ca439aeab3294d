import { counted } from "@toolbus/contracts";
import type { ChangeFinding } from "./change-finding.ts";
import { atCommits, atDependencies, finding, named } from "./evidence.ts";
import { type CommitFacts, isRelease, type ProductChange, touches, typeOf } from "./product-change.ts";
import { namesAdvisory, namesAttack, namesSecurity } from "./security-words.ts";

/** Returns the findings about dependencies, and libraries that are built in, that move for the sake of security. */
export function dependencyFinding(change: ProductChange): readonly ChangeFinding[] {
  const { list } = change.facts.commits;
  const commits = list.filter(
    (commit) =>
      touches(commit, "manifest", "lockfile", "vendored") && !touches(commit, "code") && !isRelease(commit) && isSecurityStep(commit),
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
      (namesAdvisory(commit) ||
        isForAdvisory(commit) ||
        /\b(?:security|vulnerab\w{1,10}|cves?|ghsas?)\b/i.test(withoutNames(commit.subject))),
  );
  if (steps.length === 0) return [];
  const text = `${counted(steps.length, "commit")} ${steps.length === 1 ? "moves" : "move"} dependencies or libraries that are built in for the sake of security.`;
  return [finding("security-dependency", "high", text, atCommits(steps))];
}

/** A person who moves something and names an advisory does it for that. What a bot writes has the notes of each release that it steps over. */
function isForAdvisory({ advisories = [], subject }: CommitFacts): boolean {
  return advisories.length > 0 && !/\bdeps(?:-dev)?\)|\bfrom \S{1,80} to \S/i.test(subject);
}

// "chore: fix security" alone is the step of whoever does as a tool for audits says.
const STEP =
  /\b(?:bump|move|step|update|upgrade|use)[sd]?\b|\bfix(?:e[sd])? (?:the |a |some )?(?:security|vulnerabilit\w{1,3}|cves?|audit)\b/i;

function isSecurityStep(commit: CommitFacts): boolean {
  // A tool said something, and nothing was true of it.
  if (/\bfalse (?:positive|alarm)s?\b/i.test(commit.subject)) return false;
  return (
    (commit.advisories ?? []).length > 0 ||
    typeOf(commit) === "security" ||
    namesSecurity(withoutNames(commit.subject)) ||
    namesAttack(commit) ||
    // "Fix a security issue" in the body of a step.
    (commit.repairs ?? []).includes("security")
  );
}

/** Returns a subject without the names of dependencies, such as `side-channel` or cloud.google.com/go/security, which say nothing about security. */
function withoutNames(subject: string): string {
  return subject.replaceAll(/`[^`]{1,80}`|[\w.@-]{1,80}(?:\/[\w.-]{1,80}){1,8}/g, "");
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
