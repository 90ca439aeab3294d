import { advisoryIds } from "./advisory-ids.ts";
import { line } from "./clean-text.ts";
import type { CommitFacts, SecurityWord } from "./release-facts.ts";

/** The facts in a commit message. */
export type MessageFacts = Pick<
  CommitFacts,
  "type" | "breaking" | "reverts" | "fixes" | "advisories" | "security" | "repairs" | "privateMerge"
>;

/** The longest part of a message's body that is read. */
const LONGEST_BODY = 20_000;

const CONVENTIONAL = /^([a-z]{2,20})(?:\([^)]{0,80}\))?(!?):\s/i;
const CONVENTIONAL_TYPES = new Set(
  "build chore ci deps docs feat feature fix hotfix lib perf refactor release revert security src style test tests types".split(" "),
);

/**
 * Reads the facts in a commit message. A word in a message shows only what its author wrote, not what the change does. "Fix" in the body does not
 * count, because bodies of squashed commits describe many things.
 */
export function readMessage(subject: string, body: string): MessageFacts {
  const whole = `${subject}\n${body.slice(0, LONGEST_BODY)}`;
  const [, word, mark] = CONVENTIONAL.exec(subject) ?? [];
  const type = word !== undefined && CONVENTIONAL_TYPES.has(word.toLowerCase()) ? word.toLowerCase() : null;
  const reverts = revertedIn(subject, body);
  const fixes = unique(
    [...whole.matchAll(/\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):? (?:[\w.-]{1,40}\/[\w.-]{1,60})?(#\d{1,7})\b/gi)].map(
      ([, issue]) => issue,
    ),
  );
  const advisories = unique(advisoryIds(whole));
  // The addresses in what a bot writes have words such as "security-updates", and say nothing about the commit.
  const words = whole.replaceAll(/\bhttps?:\/\/[^\s<>"')\]]{1,2000}/gi, " ");
  const security = securityIn(subject, words);
  const repairs = repairsIn(words);
  return {
    ...(type === null ? {} : { type }),
    ...((type !== null && mark === "!") || /^BREAKING[ -]CHANGES?\b/m.test(whole) ? { breaking: true as const } : {}),
    ...(reverts === null ? {} : { reverts }),
    ...(fixes.length > 0 ? { fixes } : {}),
    ...(advisories.length > 0 ? { advisories } : {}),
    ...(security.length > 0 ? { security } : {}),
    ...(repairs.length > 0 ? { repairs } : {}),
    ...(isPrivateMerge(subject, body) ? { privateMerge: true as const } : {}),
  };
}

/** Returns whether a subject says that the commit fixes a fault of the product. */
export function isFix(subject: string): boolean {
  if (/^(?:docs?|test|tests|ci|chore|build|style|types)\b[^:]{0,80}:/i.test(subject)) return false;
  return (
    /\b(?:fix(?:e[sd]|ing)?|bug(?:fix)?|hotfix|regressions?|revert(?:s|ed)?)\b/i.test(subject) &&
    !/\b(?:typos?|spelling|lint|docs|documentation)\b/i.test(subject)
  );
}

// A squashed commit may contain a revert of one of its own parts. So the sentence counts only at the beginning, or if the subject says it too.
function revertedIn(subject: string, body: string): string | null {
  const says = /^(?:Revert "|Revert\b|revert(?:\([^)]{0,80}\))?:\s)/i.test(subject);
  const text = body.slice(0, LONGEST_BODY);
  const [, hash] =
    (says ? /\bThis reverts commit ([0-9a-f]{7,64})\b/i : /^\s{0,20}This reverts commit ([0-9a-f]{7,64})\b/i).exec(text) ?? [];
  if (hash !== undefined) return hash.slice(0, 12);
  return /^(?:Revert "|revert(?:\([^)]{0,80}\))?:\s)/i.test(subject) ? "unknown" : null;
}

const SECURITY: Readonly<Record<SecurityWord, RegExp>> = {
  security: /\bsecurity\b(?!\.md)/i,
  vulnerability: /\bvulnerab\w{1,10}\b|\bCVE(?:s\b|-\d| (?:fix|patch))|\bGHS[AL]s?\b|\bexploit(?:able|s|ed)?\b|\bharden(?:ing|ed|s)?\b/i,
  denial_of_service:
    /\bdenial[ -]of[ -]service\b|\bReDoS\b|\bDoS\b|\bbillion laughs\b|\b(?:resource|memory|stack|cpu) exhaustion\b|\bcatastrophic backtracking\b|\brapid reset\b|\bslowloris\b/i,
  injection:
    /\b(?:sql|header|command|crlf|code|log|html) injection\b|\bXSS\b|\bcross[ -]site scripting\b|\bsaniti[sz](?:e[sd]?|ing|ation)\b/i,
  bypass: /\bbypass(?:es|ed|ing)?\b|\bprivilege escalation\b|\bunauthori[sz]ed\b/i,
  traversal: /\b(?:path|directory) traversal\b|\bopen redirect\b/i,
  memory_safety:
    /\b(?:buffer|integer|heap|stack)[ -]over(?:flow|read|run)\b|\bmemory corruption\b|\buse[ -]after[ -]free\b|\bdouble free\b|\bout[ -]of[ -]bounds\b|\bunsound\w{0,5}\b|\baccess after free\b/i,
  prototype_pollution: /\bprototype pollution\b|\b__proto__\b/i,
  information_leak:
    /\b(?:leak|expos|disclos)\w{0,6}\b.{0,40}\b(?:header|cookie|credential|password|secret|token|information|data)s?\b|\b(?:strip|remove|drop|clear)\w{0,4}\b.{0,30}\b(?:authorization|cookie|credentials?|confidential)\b|\btiming attack\b/i,
  request_forgery: /\bCSRF\b|\bSSRF\b|\brequest forgery\b/i,
  smuggling: /\brequest smuggling\b|\bsmuggl\w{1,6}\b/i,
  access_control:
    /\b(?:access|permission|authori[sz]ation|ownership|membership) checks?\b|\b(?:without|not|missing|any)\b.{0,30}\b(?:validating the user|being a member|permissions?|authori[sz]ation)\b|\bmore secure\b|\bunauthenticated\b/i,
};

/** Bodies use "bypass" for many things without a meaning for security, so this word counts only in a subject. */
function securityIn(subject: string, whole: string): SecurityWord[] {
  return Object.entries(SECURITY).flatMap(([word, pattern]) =>
    isSecurityWord(word) && pattern.test(word === "bypass" ? subject : whole) ? [word] : [],
  );
}

const VERB =
  /\b(?:fix(?:e[sd])?|prevent(?:s|ed|ing)?|reject(?:s|ed|ing)?|disallow(?:s|ed)?|protect(?:s|ed|ing)?|guard(?:s|ed)?|mitigat(?:e[sd]?|ing)|avoid(?:s|ed|ing)?|block(?:s|ed)?|against)\b/gi;

/** How close the word must follow the verb. */
const DISTANCE = 40;
const MOST_VERBS = 200;

function repairsIn(whole: string): SecurityWord[] {
  const after = [...whole.matchAll(VERB)]
    .slice(0, MOST_VERBS)
    .map(({ index, 0: verb }) => whole.slice(index + verb.length, index + verb.length + DISTANCE + 20));
  return Object.entries(SECURITY).flatMap(([word, pattern]) =>
    isSecurityWord(word) && after.some((text) => (pattern.exec(text)?.index ?? Infinity) <= DISTANCE) ? [word] : [],
  );
}

function isSecurityWord(word: string): word is SecurityWord {
  return Object.hasOwn(SECURITY, word);
}

// GitHub prepares the fix of an advisory in a fork whose name ends with the advisory's id, on a branch named advisory-fix-<number>.
function isPrivateMerge(subject: string, body: string): boolean {
  return /^Merge\b.*(?:-ghsa-|\bGHSA-|advisory-fix)/i.test(`${subject} ${body.slice(0, 500).split("\n", 1)[0] ?? ""}`);
}

function unique(found: readonly (string | undefined)[]): string[] {
  return [...new Set(found.flatMap((text) => (text === undefined ? [] : [line(text, 30)])))].slice(0, 10);
}
