import { counted } from "@toolbus/contracts";
import type { ChangeFinding } from "./change-finding.ts";
import { changeThresholds } from "./change-thresholds.ts";
import { atCommits, atFiles, finding } from "./evidence.ts";
import { type CommitFacts, type ProductChange, textOf, touches, typeOf } from "./product-change.ts";

/**
 * Returns the findings about what the product can do now, does in another way, or announces to remove, and about the size of the change.
 * Commits that another rule calls a matter of security are not features.
 */
export function featureFindings(change: ProductChange, inSecurity: ReadonlySet<string>): readonly ChangeFinding[] {
  return [...features(change, inSecurity), ...behaviour(change, inSecurity), ...deprecations(change), ...largeChange(change)];
}

const NEW = /^(?:add(?:s|ed)?|allow(?:s|ed)?|support(?:s|ed)?|implement(?:s|ed)?|introduce[sd]?|new)\b(?!-)/i;
// What people add that users cannot use.
const NO_FEATURE =
  /^\w+\s+(?:(?:a|an|the|some|more|new|another|basic|better|initial|extra|additional|unit|explicit|proper)\s+){0,2}[`"']?(?:[\w/.-]+\s+)?(?:missing|comments?|coverage|dependenc(?:y|ies)|tests?|testcases?|types?|typings?|annotations?|hints?|docs?|docstrings?|explanations?|documentation|notes?|log(?:s|ging|gers?)?|debug\w*|lint\w*|workaround|checks?|handling|guards?|assert\w*|benchmarks?|regressions?|changelog|ci|license|todo|devcontainer|config(?:uration)? files?|cpython|python|node(?:\.js)?|escaping)\b/i;

// What only developers of the project use, and what protects users who have no choice.
const FOR_DEVELOPERS =
  /\b(?:gitignore|nocover|pytest|(?:[\w-]{1,30} )?documentation|rebrand|version (?:file|package)|\w+\.py file|website|dockerfiles?|mock(?:s|ing)?|headers? for|for (?:unit )?tests)\b|^\w+ .{0,40}\bprotections?\b/i;

// A further version of a language in which the product runs.
const NEW_RUNTIME = /\b(?:support (?:for )?|with )(?:python|go|node(?:\.?js)?|rust|php|java|ruby) v?\d/i;

function features({ facts, commits }: ProductChange, inSecurity: ReadonlySet<string>): readonly ChangeFinding[] {
  const isPatch = facts.version.step === "patch";
  const found = commits.filter((commit) => !inSecurity.has(commit.hash) && isFeature(commit, isPatch));
  // A feature that is in the docs is one that users will find. In a patch, other additions are mostly repairs.
  const isDocumented = (commit: CommitFacts) => touches(commit, "docs") || typeOf(commit) === "feat";
  const documented = found.filter((commit) => isDocumented(commit));
  if (found.length === 0 || (isPatch && documented.length === 0)) return [];
  const text = `${counted(found.length, "commit")} to product code ${found.length === 1 ? "adds" : "add"} something that users can use.`;
  const size = (commit: CommitFacts) => commit.codeLines ?? 0;
  const largest = [...documented, ...found.filter((commit) => !isDocumented(commit))].toSorted((a, b) => size(b) - size(a));
  return [finding("new-feature", "medium", text, atCommits(largest))];
}

/** Returns true if a subject begins like that of a feature. In a patch, "allow" mostly begins a repair. */
function saysNew(subject: string, isPatch: boolean): boolean {
  const text = textOf(subject);
  return (
    NEW.test(text) &&
    !NO_FEATURE.test(text) &&
    !FOR_DEVELOPERS.test(text) &&
    !NEW_RUNTIME.test(text) &&
    !CHANGED.test(text) &&
    !DEPRECATES.test(text) &&
    !(isPatch && /^allow/i.test(text))
  );
}

// Whoever calls a commit a fix means no feature, also if its subject begins with "add".
const REPAIRS: ReadonlySet<string> = new Set(["fix", "bugfix", "hotfix"]);

function isFeature(commit: CommitFacts, isPatch: boolean): boolean {
  const type = typeOf(commit);
  if (REPAIRS.has(type)) return false;
  if (type === "feat" || type === "feature")
    return !/^(?:remove|drop|delete|deprecate|revert|warn|fix(?:e[sd])?\b)|^(?:improve|better|clearer)\b.{0,20}\berrors?\b|^(?:change|decrease|increase|lower|raise|reduce)[sd]? (?:the )?default\b|\bwarnings?\b/i.test(
      textOf(commit.subject),
    );
  // Nobody adds a vulnerability, so such a message is about its repair.
  if ((commit.security ?? []).includes("vulnerability")) return false;
  return type !== "refactor" && type !== "perf" && type !== "revert" && saysNew(commit.subject, isPatch);
}

const CHANGED =
  /^(?:(?:allow|enable|disable|ignore|use|no)[sd]? .{1,60} by default$|(?:change[sd]?|decrease[sd]?|flip(?:s|ped)?|increase[sd]?|lower(?:s|ed)?|raise[sd]?|reduce[sd]?|switch(?:es|ed)?|update[sd]?) (?:the )?default\b|default to\b|throws?\b(?!.*\b(?:better|clear(?:er)?|helpful|nicer|useful)\b)|reject(?:s|ed)?\b(?!.*\bearlier\b)|refuse[sd]?\b(?! to (?:compile|build)\b)|disallow(?:s|ed)?\b|forbids?\b|requires?\b|no longer\b|enforce[sd]?\b)/i;

// A language, a run time or a version that is required is a requirement.
const REQUIRED_RUNTIME =
  /^requires? (?:at least )?(?:(?:python|node(?:\.?js)?|go|rust|ruby|php|java|deno|bun|perl)\b.{0,10}\d|[\w./-]{1,80} ?[<>=~^])/i;

// What was allowed before. In a repair, it was never meant to be.
const STRICTER = /^(?:reject|refuse|disallow|forbid|require|enforce)(?:s|d|ed)?\b/i;

function behaviour({ commits, facts }: ProductChange, inSecurity: ReadonlySet<string>): readonly ChangeFinding[] {
  // Users know that a major step has another behaviour.
  if (facts.version.step === "major") return [];
  const changed = commits.filter(
    ({ hash, subject }) => CHANGED.test(textOf(subject)) && !REQUIRED_RUNTIME.test(textOf(subject)) && !inSecurity.has(hash),
  );
  const stricter = changed.filter(({ subject }) => STRICTER.test(textOf(subject)));
  const isRepair = (commit: CommitFacts) => stricter.includes(commit) && REPAIRS.has(typeOf(commit));
  // A patch promises that nothing breaks.
  const refusing = facts.version.step === "patch" ? [] : stricter.filter((commit) => !isRepair(commit));
  return [...refusals(refusing), ...changes(changed.filter((commit) => !refusing.includes(commit) && !isRepair(commit)))];
}

function refusals(found: readonly CommitFacts[]): readonly ChangeFinding[] {
  if (found.length === 0) return [];
  const text = `${counted(found.length, "commit")} to product code ${found.length === 1 ? "refuses" : "refuse"} or ${found.length === 1 ? "requires" : "require"} what users were free to do.`;
  return [finding("stricter-use", "medium", text, atCommits(found))];
}

function changes(found: readonly CommitFacts[]): readonly ChangeFinding[] {
  if (found.length === 0) return [];
  const text = `${counted(found.length, "commit")} to product code ${found.length === 1 ? "changes" : "change"} what the same use does.`;
  return [finding("changed-behaviour", "medium", text, atCommits(found))];
}

const DEPRECATES = /^(?:deprecat(?:e[sd]?|ing)|add(?:s|ed)? (?:an? )?deprecation (?:warning|notice)s?)\b/i;

function deprecations({ commits }: ProductChange): readonly ChangeFinding[] {
  const found = commits.filter(({ subject }) => DEPRECATES.test(textOf(subject)));
  if (found.length === 0) return [];
  const text = `${counted(found.length, "commit")} to product code ${found.length === 1 ? "deprecates" : "deprecate"} something.`;
  return [finding("deprecation", "medium", text, atCommits(found))];
}

function largeChange({ insertedLines, fileCount, files, isCandidate }: ProductChange): readonly ChangeFinding[] {
  if (insertedLines < changeThresholds.largeCodeLines.value) return [];
  const isHuge = insertedLines >= changeThresholds.hugeCodeLines.value && !isCandidate;
  const text = `${insertedLines} lines of product code are inserted in ${counted(fileCount, "file")}.`;
  const largest = files.toSorted((a, b) => b.added - a.added || (a.path < b.path ? -1 : 1));
  return [finding("large-change", isHuge ? "high" : "medium", text, atFiles(largest))];
}
