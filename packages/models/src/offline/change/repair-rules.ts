import { counted } from "@toolbus/contracts";
import { quoted } from "../clean-text.ts";
import type { ChangeFinding } from "./change-finding.ts";
import { changeThresholds } from "./change-thresholds.ts";
import { atCommits, atDependencies, finding, named } from "./evidence.ts";
import { type CommitFacts, type ProductChange, textOf, touches } from "./product-change.ts";

/**
 * Returns the findings about changes that take back or repair an earlier release. A release with a matter of security or a feature is more than a
 * hotfix, so its caller says whether it may be one.
 */
export function repairFindings(change: ProductChange, mayBeHotfix: boolean): readonly ChangeFinding[] {
  return [...(mayBeHotfix ? hotfix(change) : []), ...reverts(change)];
}

const DAY_MS = 24 * 60 * 60 * 1000;

function hotfix(change: ProductChange): readonly ChangeFinding[] {
  const { facts, commits, changedLines, isCandidate } = change;
  const days = (Date.parse(facts.head.date) - Date.parse(facts.base.date)) / DAY_MS;
  if (facts.version.step !== "patch" || isCandidate || changedLines === 0) return [];
  if (!(days >= 0 && days <= changeThresholds.hotfixDays.value) || commits.length > changeThresholds.hotfixCommits.value) return [];
  const repairs = commits.filter(isRepair);
  if (repairs.length === 0 || !(days <= changeThresholds.hotfixRushDays.value || repairsEarlier(change, repairs))) return [];
  const when = days < 1 ? "on the day of" : `${counted(Math.round(days), "day")} after`;
  const text = `${counted(repairs.length, "commit")} to product code ${repairs.length === 1 ? "repairs" : "repair"} something ${when} the earlier release ${quoted(facts.base.ref, 80)}.`;
  return [finding("hotfix", "low", text, atCommits(repairs))];
}

/** Returns true if the repaired lines came with the earlier release, or if a subject says that it broke something. */
function repairsEarlier({ facts, files }: ProductChange, repairs: readonly CommitFacts[]): boolean {
  return (
    (facts.freshSince !== undefined && files.some(({ freshHunks }) => (freshHunks ?? 0) > 0)) ||
    repairs.some(
      ({ subject, reverts: undone }) => undone !== undefined || /\b(?:regress\w{0,6}|hotfix|broken (?:by|in|since)|again)\b/i.test(subject),
    )
  );
}

function isRepair({ subject, type, fixes, reverts: undone }: CommitFacts): boolean {
  // Another text of a warning or of an error repairs no use of the product.
  if (/\b(?:warnings?|error (?:codes?|messages?|texts?))\b/i.test(textOf(subject))) return false;
  if (/\blint(?:ers?|ing)?\b|\bpre-commit\b/i.test(subject)) return false;
  // "Allow x (fix for y)" is a small feature, also if it closes an issue.
  if (/^(?:add|allow|support)/i.test(textOf(subject)) && type !== "fix" && type !== "hotfix") return false;
  if (type === "fix" || type === "hotfix" || undone !== undefined || (fixes ?? []).length > 0) return true;
  return /\b(?:fix(?:e[sd])?|bug|hotfix|regressions?|broken|crash(?:es)?|hang(?:s|ing)?)\b/i.test(textOf(subject));
}

function reverts(change: ProductChange): readonly ChangeFinding[] {
  const { facts, commits, dependencies } = change;
  const { list, omitted } = facts.commits;
  // Without a hash, the undone commit may be one of the omitted ones.
  const undone = commits.filter(
    (commit) =>
      isRevert(commit) && (omitted === 0 || commit.reverts !== "unknown") && !commit.revertsInRelease && !isUndoneHere(commit, list),
  );
  // A version that moves back without a word is often only a looser requirement, or a merge of two branches.
  const saysBack = (subject: string, name: string) =>
    /\brevert|\bback to\b|\bdowngrad|\broll(?:ed)? ?back/i.test(subject) && subject.includes(name);
  const back = dependencies.filter(({ step, name }) => step === "back" && list.some(({ subject }) => saysBack(subject, name)));
  if (undone.length + back.length === 0) return [];
  const naming = list.filter(({ subject }) => back.some(({ name }) => saysBack(subject, name)));
  const [first] = undone;
  const text = first
    ? `${counted(undone.length, "commit")} to product code ${undone.length === 1 ? "takes" : "take"} back an earlier change; the first is ${quoted(first.subject, 160)}.`
    : `A runtime dependency moves back: ${named(back.map(({ name, from, to }) => `${name} from ${from ?? ""} to ${to ?? ""}`))}.`;
  return [finding("revert", "low", text, [...atCommits([...undone, ...naming]), ...atDependencies(back)])];
}

function isRevert(commit: CommitFacts): boolean {
  return touches(commit, "code", "migration") && /^revert\b/i.test(commit.subject.trim()) && commit.reverts !== undefined;
}

/** Returns true if a listed commit is the one that this one takes back. The quoted subject shows that, or the hash, if the facts do not say it. */
function isUndoneHere({ reverts: hash, subject, hash: own }: CommitFacts, list: readonly CommitFacts[]): boolean {
  const [, quotedSubject] = /^revert\W{1,3}(.{5,160}?)"?(?:\s\(#\d+\))?$/i.exec(subject.trim()) ?? [];
  const text = plain(quotedSubject ?? "");
  return list.some(
    (other) =>
      other.hash !== own &&
      ((hash !== undefined && hash.length >= 7 && (other.hash.startsWith(hash) || hash.startsWith(other.hash))) ||
        (text.length >= 5 && plain(other.subject) === text)),
  );
}

function plain(subject: string): string {
  return subject
    .replaceAll(/\s*\(#\d+\)|"/g, "")
    .trim()
    .toLowerCase();
}
