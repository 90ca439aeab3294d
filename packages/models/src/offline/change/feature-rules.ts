import { counted } from "@toolbus/contracts";
import type { ChangeFinding } from "./change-finding.ts";
import { changeThresholds } from "./change-thresholds.ts";
import { atCommits, atFiles, finding } from "./evidence.ts";
import { type CommitFacts, type ProductChange, textOf, touches, typeOf } from "./product-change.ts";
import { saysHardening, saysSecurityFix } from "./security-words.ts";

/** Returns the findings about what the product can do now, does in another way, or announces to remove, and about the size of the change. */
export function featureFindings(change: ProductChange): readonly ChangeFinding[] {
  return [...features(change), ...behaviour(change), ...deprecations(change), ...largeChange(change)];
}

const NEW = /^(?:add(?:s|ed)?|allow(?:s|ed)?|support(?:s|ed)?|implement(?:s|ed)?|introduce[sd]?|new)\b(?!-)/i;
// What people add that users cannot use.
const NO_FEATURE =
  /^\w+\s+(?:(?:a|an|the|some|more|new|another|basic|better|initial|extra|additional|unit|explicit|proper)\s+){0,2}[`"']?(?:\w+\s+)?(?:missing|comments?|tests?|types?|typings?|annotations?|hints?|docs?|docstrings?|documentation|notes?|log(?:s|ging|gers?)?|debug\w*|lint\w*|workaround|checks?|handling|guards?|assert\w*|benchmarks?|regressions?|changelog|ci|license|todo|cpython|python|node(?:\.js)?|escaping)\b/i;

function features({ commits }: ProductChange): readonly ChangeFinding[] {
  const found = commits.filter((commit) => isFeature(commit));
  if (found.length === 0) return [];
  // A feature that is in the docs is one that users will find.
  const documented = [...found.filter((commit) => touches(commit, "docs")), ...found.filter((commit) => !touches(commit, "docs"))];
  const text = `${counted(found.length, "commit")} to product code ${found.length === 1 ? "adds" : "add"} something that users can use.`;
  return [finding("new-feature", "medium", text, atCommits(documented))];
}

function isFeature(commit: CommitFacts): boolean {
  const type = typeOf(commit);
  if (type === "refactor" || type === "perf" || type === "revert" || saysSecurityFix(commit.subject) || saysHardening(commit.subject))
    return false;
  const text = textOf(commit.subject);
  return !NO_FEATURE.test(text) && (type === "feat" || type === "feature" || NEW.test(text));
}

const CHANGED =
  /^(?:change[sd]?\b.{0,20}\bdefault|default\b|throw(?:s|n)?\b|reject(?:s|ed)?\b|refuse[sd]?\b|disallow(?:s|ed)?\b|forbid\b|require[sd]?\b|no longer\b|stop(?:s|ped)?\b|keep(?:s|t)?\b|prefer(?:s|red)?\b|rename[sd]?\b|enforce[sd]?\b|ignore[sd]?\b|carry over\b)/i;

function behaviour({ commits }: ProductChange): readonly ChangeFinding[] {
  const found = commits.filter((commit) => CHANGED.test(textOf(commit.subject)) && !saysSecurityFix(commit.subject));
  if (found.length === 0) return [];
  const text = `${counted(found.length, "commit")} to product code ${found.length === 1 ? "changes" : "change"} what the same use does.`;
  return [finding("changed-behaviour", "medium", text, atCommits(found))];
}

function deprecations({ commits }: ProductChange): readonly ChangeFinding[] {
  const found = commits.filter(({ subject }) => /^deprecat(?:e[sd]?|ing)\b/i.test(textOf(subject)));
  if (found.length === 0) return [];
  const text = `${counted(found.length, "commit")} to product code ${found.length === 1 ? "deprecates" : "deprecate"} something.`;
  return [finding("deprecation", "low", text, atCommits(found))];
}

function largeChange({ insertedLines, fileCount, files, isCandidate }: ProductChange): readonly ChangeFinding[] {
  if (insertedLines < changeThresholds.largeCodeLines.value) return [];
  const isHuge = insertedLines >= changeThresholds.hugeCodeLines.value && !isCandidate;
  const text = `${insertedLines} lines of product code are inserted in ${counted(fileCount, "file")}.`;
  const largest = files.toSorted((a, b) => b.added - a.added || (a.path < b.path ? -1 : 1));
  return [finding("large-change", isHuge ? "high" : "medium", text, atFiles(largest))];
}
