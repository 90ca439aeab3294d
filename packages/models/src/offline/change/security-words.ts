import { changeThresholds } from "./change-thresholds.ts";
import { textOf, typeOf } from "./product-change.ts";

// What an attacker does, or what a fix protects. Each pattern needs whole words, because "hijack" is also what a server does with a connection.
const HARM = [
  /\bvulnerab\w{1,10}\b|\bCVE-\d|\bGHSA-|\bexploit\w{0,4}\b|\bsecurity\s+(?:issue|bug|problem|hole|flaw|fix|advisory)\b/i,
  /\b(?:denial[ -]of[ -]service|ReDoS|billion laughs|zip bomb|decompression bomb|(?:resource|memory|stack|cpu) exhaustion|catastrophic backtracking)\b/i,
  /\b(?:sql|header|command|crlf|code|log|html) injection\b|\bXSS\b|\bcross[ -]site scripting\b|\b(?:html|sql|shell) escap\w{1,4}\b/i,
  // Not "dos", as in line endings of DOS.
  /\bDoS\b/,
  // As a verb, "bypass" is what a cache does.
  /\b(?:auth\w*|check|filter|limit|list|policy|protection|restriction|rule|validation|verification|2FA|MFA)s? bypass\b|\bbypass(?:ing)? of\b|\bprivilege escalation\b|\bunauthori[sz]ed (?:access|clients?)\b|\bspoof\w{0,4}\b|\bsession fixation\b|\bclickjacking\b/i,
  /\b(?:path|directory) traversal\b|\bopen redirect\w?\b/i,
  /\b(?:buffer|integer|heap|stack)[ -]over(?:flow|read|run)\w?\b|\buse[ -]after[ -]free\b|\bdouble free\b|\bout[ -]of[ -]bounds\b|\bunsound\w{0,5}\b/i,
  /\barbitrary\b.{0,20}\b(?:code|commands?|execution|reads?|writes?)\b|\bRCE\b|\bremote code execution\b/i,
  /\bprototype pollution\b|\b__proto__\b/i,
  /\b(?:authorization|cookie|credential|password|secret|token|confidential|private)s?\b.{0,20}\b(?:leak|expos|disclos)\w{0,6}\b/i,
  /\b(?:leak|expos|disclos)\w{0,6}\b.{0,30}\b(?:authorization|cookie|credential|password|secret|token)s?\b/i,
  // Who does harm, and what comes from them.
  /\battack(?:s|er|ers)?\b|\bmalicious\w{0,2}\b|\buntrusted\b|\b(?:dns )?rebinding\b/i,
  /\baccess after free\b|\b(?:heap|memory) corruption\b|\bcache poisoning\b|\bresponse splitting\b|\b(?:man|machine)[- ]in[- ]the[- ]middle\b|\bMITM\b|\bsession hijack\w{0,3}\b/i,
  // Further names of the lists of common weaknesses.
  /\bXXE\b|\bexternal entit(?:y|ies)\b|\bdeseriali[sz]ation\b|\bhard-?coded (?:credential|key|password|secret)s?\b|\b(?:unrestricted|arbitrary) (?:file )?uploads?\b|\b(?:missing|improper|incorrect) (?:authenti|authori[sz])\w{4,8}\b/i,
  // A check that keeps somebody out.
  /\b(?:fs|file ?system|file|access|auth\w{0,11}|origin|ownership|permission|signature|certificate|token|audience|issuer)s? (?:check|validation|verification)s?\b(?!.*\b(?:to allow|allowing)\b)/i,
  /\btiming attack\b|\bCSRF\b|\bSSRF\b|\brequest forgery\b|\bsmuggl\w{1,6}\b|\bSameSite\b/i,
  // A leak of memory or of a handle is none of information.
  /\bleaking\b.{0,30}\b(?:information|data)\b|\b(?:information|data) (?:leak(?:age)?|disclosure|exposure)s?\b/i,
  /\b(?:not|no longer) (?:disclose|leak|reveal)\b/i,
  // Attacks with a name of their own.
  /\b(?:rapid reset|slowloris|terrapin attack|zip slip|heartbleed|log4shell)\b/i,
];

/** Whether a verb takes a danger away. "Add" and "expose" do not. */
const VERB =
  /\b(?:fix(?:e[sd])?|prevent(?:s|ed)?|detect(?:s|ed)?|reject(?:s|ed)?|refuse[sd]?|disallow(?:s|ed)?|forbid(?:s|den)?|protect(?:s|ed)?|guard(?:s|ed)?|sanitize[sd]?|mitigate[sd]?|address(?:es|ed)?|resolve[sd]?|avoid(?:s|ed)?|close[sd]?|block(?:s|ed)?|patch(?:es|ed)?|stop(?:s|ped)?)\b/gi;

// Whole statements that need no further word: what is no longer sent on, what is refused, what is escaped.
const STATEMENTS = [
  /\b(?:drop|strip|remove|clear)\w{0,4}\b.{0,20}\b(?:authorization|cookies?|credentials?|confidential|sensitive)\b.{0,40}\b(?:across|on|when|for|between|from)\b/i,
  /\b(?:don'?t|do not|never|no longer|stop)\b.{0,12}\b(?:send|forward|log|expose|leak|print|store)\w{0,3}\b.{0,30}\b(?:authorization|cookie|credential|password|secret|token)s?\b/i,
  /^(?:disallow|reject|refuse|forbid)s?\b.{0,30}\b(?:host(?:name)?s?|ur[il]s?|redirects?|headers?|cookies?|paths?|file ?names?|control characters?|null bytes?|newlines?|crlf)\b/i,
  /^(?:escape|sanitize)s?\b.{0,30}\b(?:html|attributes?|headers?|shell|output|input|file ?names?|paths?|ur[il]s?)\b/i,
  /\b(?:constant[- ]time|timing[- ]safe)\b/i,
  /^(?:mask|redact)(?:s|ed)?\b.{0,40}\b(?:credential|password|secret|sensitive|token)s?\b/i,
  /\boutside (?:of )?(?:the |its |their )?(?:allowed|base|destination|root|served|target) (?:director(?:y|ies)|folders?|paths?)\b/i,
  /^(?:verify|validate|check)s?\b.{0,30}\b(?:tokens?|origins?|host headers?|signatures?|certificates?|audiences?|issuers?|nonces?|redirect ur[il]s?)\b/i,
  /\b(?:CVEs?|vulnerabilit(?:y|ies)) (?:fix(?:es)?|patch(?:es)?)\b/i,
  /^(?:add|fix|repair|enforce|implement|correct)\w{0,4}\b.{0,30}\b(?:access|authori[sz]ation|ownership|permission)s? checks?\b|^missing (?:access|authori[sz]ation|permission) checks?\b/i,
  /^secures?\b.{0,40}\b(?:uploads?|downloads?|endpoints?|cookies?|routes?|pages?|access|sessions?|tokens?|files?|requests?)\b/i,
  /\b(?:do not|don'?t|never|no longer|stop) (?:run|execut|load)\w{0,3}\b.{0,30}\bfrom (?:the )?(?:cwd|current (?:working )?director(?:y|ies))\b/i,
];

/** Returns whether a subject says that the commit fixes a way to do harm: a verb such as "prevent" close before a word such as "bypass". */
export function saysSecurityFix(subject: string): boolean {
  const type = typeOf({ subject });
  if (type === "security" || type === "sec") return true;
  const text = textOf(subject);
  // What fails while a program ends is of no use to an attacker.
  if (/\b(?:on|at|during) (?:exit|shutdown|teardown)\b/i.test(text)) return false;
  if (type !== "feat" && STATEMENTS.some((statement) => statement.test(text))) return true;
  if (type !== "feat" && isFaultAlone(text)) return true;
  // The type says what the verb would: "fix: prototype pollution".
  const whole = FIX_TYPES.has(type) ? `fix ${text}` : text;
  const ends = [...whole.matchAll(VERB)].map(({ index, 0: verb }) => index + verb.length);
  return ends.some((end) => HARM.some((harm) => (harm.exec(whole.slice(end))?.index ?? Infinity) <= changeThresholds.verbDistance.value));
}

/** The name of a fault alone, such as "use-after-free in the list", is that of its repair. */
function isFaultAlone(text: string): boolean {
  const fault = text.replace(/^(?:an?|possible|potential|the) /i, "");
  return HARM.some((harm) => {
    const found = harm.exec(fault);
    return found?.index === 0 && /^ (?:in|on|through|via|when|with) /.test(fault.slice(found[0].length));
  });
}

/** Returns whether a subject names a security matter, with any verb. */
export function namesSecurity(subject: string): boolean {
  return /\bsecurity\b(?!\.md)/i.test(subject) || HARM.some((harm) => harm.test(subject.slice(0, 200)));
}

/** Returns whether a subject has a verb that takes a fault away. */
export function saysRepair(subject: string): boolean {
  return FIX_TYPES.has(typeOf({ subject })) || textOf(subject).search(VERB) >= 0;
}

/** Returns whether a subject says that the product becomes harder to attack. */
export function saysHardening(subject: string): boolean {
  const text = textOf(subject);
  return (
    /\bharden(?:s|ed|ing)?\b/i.test(text) ||
    /\b(?:add|improve|tighten|strengthen|enforce)\w{0,3}\b.{0,40}\b(?:csrf|xss|rate[ -]limit\w{0,4}|brute[ -]force|enumeration|security headers?|(?:access|authori[sz]ation|ownership|permission)s? checks?)\b/i.test(
      text,
    ) ||
    /\b(?:set|add|enforce|introduce|lower|reduce|restrict)s?\b.{0,20}\b(?:max(?:imum)?|limit)s?\b.{0,20}\b(?:length|size|depth|nesting)s?\b/i.test(
      text,
    ) ||
    // Old parts of an encryption that are turned off, and rules that now apply to everybody.
    /^disables?\b.{0,20}\b(?:tls|ssl)\b/i.test(text) ||
    /^enforces?\b.{0,20}\b(?:2FA|MFA|polic(?:y|ies)|permissions?)\b/i.test(text) ||
    /^limit(?:s|ed)?\b.{0,30}\b(?:length|size|depth|nesting)s?\b/i.test(text)
  );
}

const FIX_TYPES: ReadonlySet<string> = new Set(["fix", "bugfix", "hotfix", "security"]);
