import type { ChangelogMark } from "./release-facts.ts";

type Section = ChangelogMark | "fixed";

// A heading of a changelog that says of which kind its entries are.
const SECTIONS: readonly (readonly [Section, RegExp])[] = [
  ["security", /\bsecurity\b|\bvulnerabilit/i],
  ["breaking", /\bbreaking\b|\bbackwards?[- ]incompatib|\bincompatible\b|\bcompatibility breaks?\b|^major changes\b/i],
  ["removed", /^(?:removed|removals?|dropped)(?: |$)(?!and deprecat)/i],
  ["deprecated", /^deprecat/i],
  ["added", /^(?:added|additions?|features?|new features?|new|enhancements?|minor changes)\b/i],
  ["fixed", /\bfix(?:e[sd])?\b|\bbug ?fix/i],
];

/** Returns the kind that a heading gives to its entries, or null. */
export function sectionOf(heading: string): Section | null {
  const text = heading
    .slice(0, 120)
    .replaceAll(/[^\p{L}\p{N} -]+/gu, " ")
    .trim();
  return SECTIONS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

const HARM =
  /\bvulnerab\w{1,10}\b|\bCVE-\d|\battack(?:s|er|ers)?\b|\bmalicious\w{0,2}\b|\buntrusted\b|\bspoof\w{0,4}\b|\bGHS[AL]-|\bCWE-\d|\bexploit\w{0,4}\b|\bsecurity (?:issue|bug|problem|hole|flaw|fix|advisory|patch)|\bdenial[ -]of[ -]service\b|\bReDoS\b|\bDDoS\b|(?<!ms-|ms )\bDoS\b|\bbillion laughs\b|\b(?:resource|memory|stack|cpu) exhaustion\b|\bcatastrophic backtracking\b|\b(?:sql|header|command|crlf|code|log|html) injection\b|\bXSS\b|\bcross[ -]site scripting\b|\bprivilege escalation\b|\bunauthori[sz]ed access\b|\b(?:path|directory) traversal\b|\bopen redirect\b|\b(?:buffer|integer|heap|stack)[ -]over(?:flow|read|run)\w?\b|\bmemory corruption\b|\buse[ -]after[ -]free\b|\bdouble free\b|\bout[ -]of[ -]bounds\b|\bprototype pollution\b|__proto__|\btiming attack\b|\bSSRF\b|\brequest forgery\b|\bsmuggl\w{1,6}\b|\brapid reset\b/i;
const REPAIR =
  /\b(?:fix(?:e[sd])?|prevent(?:s|ed|ing)?|reject(?:s|ed)?|mitigat(?:e[sd]?|ing)|address(?:es|ed)?|resolve[sd]?|avoid(?:s|ed)?|close[sd]?|block(?:s|ed)?|patch(?:es|ed)?|protect(?:s|ed)?|guard(?:s|ed)?|sanitize[sd]?|disallow(?:s|ed)?|strip(?:s|ped)?|stop(?:s|ped)?|no longer|updated? .{1,40} due to)\b/i;
// Who names an advisory need not say that it is repaired. Some projects name it by a mark, such as :ghsa:`2g68-c3qc-8985`.
const ADVISORY = /\bCVE-\d|\bGHS[AL]-\w|:(?:cve|ghsa):/i;
// A fault of an earlier fix is no vulnerability, and neither is one that shows while a program ends.
const HARMLESS = /\bregress\w{0,6}\b|\brelax(?:es|ed)?\b|\b(?:on|at|during) (?:exit|shutdown|teardown)\b/i;
const BREAKING =
  /(?<!\b(?:no|non|not|without|any)[ -])\bbreaking(?: api)?[ -]changes?\b|^\W{0,4}breaking\b(?! news)|\bbackwards?[- ]incompatible\b|\bbreaks? (?:backwards?[- ])?compatibility\b|\bnot backwards?[- ]compatible\b/i;
const REMOVED =
  /^\W{0,4}(?:removed?s?|drop(?:s|ped)?)\b.{0,60}\b(?:support|deprecated|option|flag|command|api|endpoint|method|function|class|parameter|argument|setting|module|header|feature|extra)s?\b|\b(?:support|deprecated|option|flag|command|api|endpoint|method|function|class|parameter|argument|setting|module|header|feature|extra)s?\b.{0,60}\b(?:have|has) been removed\b|\b(?:is|are) no longer (?:supported|available|accepted)\b|\bno longer supports?\b/i;
// What only the code had.
const INSIDE = /\b(?:duplicated?|imports?|internal|redundant|unnecessary|unneeded|unused|warnings?|wrong)\b/i;
const RUNTIME =
  /\b(?:python|pypy|node(?:\.?js)?|deno|go|rust|msrv|ruby|php|java|jdk|\.net|perl|windows|macos|linux|openssl|visual studio|gcc|clang|django|end[- ]of[- ]life)\b/i;
const DEPRECATED = /^\W{0,4}deprecat(?:e[sd]?|ing)\b|\b(?:is|are|was|were|been) (?:now )?deprecated\b/i;
const ADDED = /^\W{0,4}(?:add(?:s|ed)?|new|introduce[sd]?)\b(?! (?:missing|tests?|docs?|documentation|comments?)\b)/i;
const DOCS = /^\W{0,4}(?:docs?|documentation|tests?|ci|build)\b/i;

/** Returns what an entry of a changelog says, by its words and by the heading above it. */
export function marksOf(text: string, section: Section | null): readonly ChangelogMark[] {
  const has = (mark: Section) => section === mark;
  const aside = DOCS.test(text);
  const says: readonly (readonly [ChangelogMark, boolean])[] = [
    ["security", !HARMLESS.test(text) && (has("security") || (!aside && (ADVISORY.test(text) || (HARM.test(text) && REPAIR.test(text)))))],
    ["breaking", has("breaking") || (!aside && (BREAKING.test(text) || /\bBREAKING\b/.test(text)))],
    [
      "removed",
      (has("removed") || (!aside && REMOVED.test(text) && !INSIDE.test(text))) && !RUNTIME.test(text) && !/\bfiles?\b/i.test(text),
    ],
    ["deprecated", has("deprecated") || DEPRECATED.test(text)],
    ["added", has("added") || (section === null && !aside && ADDED.test(text))],
  ];
  return says.flatMap(([mark, applies]) => (applies ? [mark] : []));
}
