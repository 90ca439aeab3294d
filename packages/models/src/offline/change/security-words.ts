import { changeThresholds } from "./change-thresholds.ts";
import { type CommitFacts, textOf, typeOf } from "./product-change.ts";

// What an attacker does, or what a fix protects. Each pattern needs whole words, because "hijack" is also what a server does with a connection.
const HARM = [
  /\bvulnerab\w{1,10}\b|\bCVE-\d|\bGHS[AL]s?\b|\b(?:GO|RUSTSEC|PYSEC|OSV)-\d{4}-\d|\bexploit\w{0,4}\b|\bsecurity\s+(?:issue|bug|problem|hole|flaw|fix|advisory)\b/i,
  /\b(?:denial[ -]of[ -]service|ReDoS|billion laughs|zip bomb|decompression bomb|(?:resource|memory|stack|cpu) exhaustion|catastrophic backtracking|(?:quadratic|exponential) (?:failing|patterns?|regex\w{0,4}|backtracking|behaviou?r|blow-?up|complexity|parsing|performance|runtime|time)|unbounded (?:allocation|growth|memory|recursion))\b/i,
  /\b(?:argument|code|command|content|crlf|css|csv|formula|header|html|ldap|log|nosql|option|os|parameter|path|prompt|script|shell|sql|template|url|xml|xpath) injections?\b|\bSSTI\b|\bXSS\b|\bcross[ -]site scripting\b|\b(?:html|sql|shell) escap\w{1,4}\b/i,
  // Not "dos", as in line endings of DOS.
  /\bDoS\b/,
  // As a verb, "bypass" is what a cache does.
  /\b(?:access|ACL|auth\w*|check|CSP|filter|limit|list|origin|permission|policy|protection|restriction|rule|sandbox|signature|validation|verification|2FA|MFA)s? bypass\b|\bsandbox (?:breakout|escape)s?\b|\b(?:user|username|account|email) enumeration\b|\bIDOR\b|\bTOCTOU\b|\bside[- ]channels?\b|\bbypass(?:ing)? of\b|\bprivilege escalation\b|\bunauthori[sz]ed (?:access|clients?)\b|\bspoof\w{0,4}\b|\bsession fixation\b|\bclickjacking\b/i,
  /\b(?:path|directory) traversal\b|\bopen redirect(?:s|ions?)?\b|\bsymlink (?:attack|escape|following|race|traversal)s?\b/i,
  /\b(?:buffer|integer|heap|stack)[ -]over(?:flow|read|run)\w?\b|\buse[ -]after[ -]free\b|\bdouble free\b|\btype confusion\b|\bout[- ]of[- ]bound (?:access|read|write)\b|\buninitiali[sz]ed memory\b|\bout[ -]of[ -]bounds\b|\bunsound\w{0,5}\b/i,
  /\barbitrary\b.{0,20}\b(?:code|commands?|execution|reads?|writes?)\b|\bRCE\b|\bremote code execution\b/i,
  /\bprototype pollution\b|\b__proto__\b/i,
  /\b(?:authorization|cookie|credential|password|secret|token|confidential|private)s?\b.{0,20}\b(?:leak|expos|disclos)\w{0,6}\b/i,
  /\b(?:leak|expos|disclos)\w{0,6}\b.{0,30}\b(?:authorization|cookie|credential|password|secret|token)s?\b/i,
  // Who does harm, and what comes from them.
  /\battack(?:s|er|ers)?\b|\bmalicious\w{0,2}\b|\buntrusted\b|\b(?:dns )?rebinding\b/i,
  /\baccess after free\b|\b(?:heap|memory) corruption\b|\bcache poisoning\b|\binsecure (?:algorithms?|ciphers?|defaults?|key(?: sizes?|s)?|modes?|protocols?)\b|\bcase[- ]insensitive (?:file ?systems?|paths?)\b|\bresponse splitting\b|\b(?:man|machine)[- ]in[- ]the[- ]middle\b|\bMITM\b|\bsession hijack\w{0,3}\b/i,
  // Further names of the lists of common weaknesses.
  /\bXXE\b|\bexternal entit(?:y|ies)\b|\bdeseriali[sz]ation\b|\bhard-?coded (?:credential|key|password|secret)s?\b|\b(?:unrestricted|arbitrary) (?:file )?uploads?\b|\b(?:missing|improper|incorrect) (?:authenti|authori[sz])\w{4,8}\b/i,
  // A check that keeps somebody out.
  /\b(?:fs|file ?system|file|access|auth\w{0,11}|origin|ownership|permission|signature|certificate|host ?name|host key|token|audience|issuer)s? (?:check(?:ing)?|validation|verification)s?\b(?!.*\b(?:to allow|allowing)\b)/i,
  /\btiming attack\b|\bCSRF\b|\bSSRF\b|\brequest forgery\b|\bsmuggl\w{1,6}\b|\bSameSite\b/i,
  // A leak of memory or of a handle is none of information.
  /\bleaking\b.{0,30}\b(?:information|data)\b|\b(?:information|data) (?:leak(?:age)?|disclosure|exposure)s?\b/i,
  /\b(?:not|no longer) (?:disclose|leak|reveal)\b/i,
  /\bOOM\b|\bout[- ]of[- ]memory\b/i,
  // What hides a secret, or what escapes on its own, and does not.
  /\bredact\w{0,5}\b|\bauto-?escap\w{1,4}\b/i,
  // A version of an encryption that must be kept to.
  /\b(?:tls|ssl) (?:protocol )?versions? (?:check|limit|range)s?\b|\b(?:max(?:imum)?|min(?:imum)?) (?:tls|ssl) versions?\b/i,
  // Other forms of the names above, and weaknesses that are rarely named.
  /\b(?:path|directory)-traversal\b|\bprototype-pollution\b|\bopen-redirects?\b|\bsanit(?:i[sz])?ation\b|\bsoundness\b|\bsuper-?linear\b/i,
  /\bentity expansion\b|\bmXSS\b|\b(?:DOM )?clobbering\b|\bhomogra(?:ph|phic)\b|\btabnabbing\b|\bhash[- ]?(?:dos|flooding)\b|\b(?:algorithm|key) confusion\b|\bworld[- ](?:read|writ)able\b|\btimingSafeEqual\b|\bcompare_digest\b/i,
  // Attacks with a name of their own.
  /\b(?:rapid reset|slowloris|terrapin attack|zip slip|heartbleed|log4shell)\b/i,
];

/** Whether a verb takes a danger away. "Add" and "expose" do not. */
const VERB =
  /\b(?:fix(?:e[sd])?|prevent(?:s|ed)?|detect(?:s|ed)?|reject(?:s|ed)?|refuse[sd]?|disallow(?:s|ed)?|forbid(?:s|den)?|protect(?:s|ed)?|guard(?:s|ed)?|sanitize[sd]?|mitigate[sd]?|address(?:es|ed)?|resolve[sd]?|avoid(?:s|ed)?|close[sd]?|block(?:s|ed)?|patch(?:es|ed)?|stop(?:s|ped)?)\b/gi;

// Whole statements that need no further word: what is no longer sent on, what is refused, what is escaped.
const STATEMENTS = [
  /\b(?:drop|strip|remove|clear)\w{0,4}\b.{0,20}\b(?:authorization|cookies?|credentials?|confidential|sensitive)\b.{0,40}\b(?:across|on|when|for|between|from)\b/i,
  /\b(?:don'?t|do not|never|no longer|stop)\b.{0,12}\b(?:send|forward|log|expose|leak|print|store|include)\w{0,3}\b.{0,30}\b(?:authorization|cookie|credential|password|secret|token|bcc|(?:secure|sensitive|auth) headers?)s?\b/i,
  /^(?:\w{1,20}ly )?(?:(?:drop|ignore|strip) or )?(?:disallow|reject|refuse|forbid|prohibit|deny)s?\b.{0,30}\b(?:host(?:name)?s?|ur[il]s?|redirects?|headers?|cookies?|paths?|file ?names?|control characters?|null bytes?|new ?lines?|crlf)\b/i,
  // What goes along to another site.
  /^(?:drop|strip|remove|clear|omit)s?\b.{0,20}\b(?:body|headers?|referr?er)\b.{0,20}\bredirects?\b/i,
  // What a sender may make the product do or keep.
  /^limit(?:s|ed)? (?:the )?(?:max(?:imum)? )?(?:amount|number|output|count)\b(?!.*\b(?:jobs?|logs?|retries|tests?|threads?|warnings?|workers?)\b)/i,
  /^(?:escape|sanitize)s?\b.{0,30}\b(?:untrusted|html|attributes?|headers?|shell|output|input|file ?names?|paths?|ur[il]s?)\b/i,
  /\b(?:constant[- ]time|timing[- ]safe)\b/i,
  /^(?:mask|redact)(?:s|ed)?\b.{0,40}\b(?:credential|password|secret|sensitive|token)s?\b/i,
  /^(?:hide|omit|filter|skip|exclude|remove)(?:s|d)?\b.{0,20}\b(?:credential|password|secret|token)s?\b.{0,20}\b(?:from|in) (?:the )?(?:\w{1,20} )?(?:logs?|logging|errors?|output|messages?|traces?)\b/i,
  /\boutside (?:of )?(?:the |its |their )?(?:allowed|base|destination|root|served|target) (?:director(?:y|ies)|folders?|paths?)\b/i,
  /^(?:verify|validate|check)s?\b.{0,30}\b(?:tokens?|origins?|host headers?|signatures?|certificates?|audiences?|issuers?|nonces?|states?|(?:server )?responses?|redirect ur[il]s?|content hash(?:es)?|remote (?:address(?:es)?|hosts?|ur[il]s?)|path ?separators?)\b/i,
  /^(?:clean|normali[sz]e)s?\b.{0,10}\b(?:request|file|ur[il]) paths?\b/i,
  /\bcryptographically (?:secure|strong)\b|^use (?:a )?secure random\b/i,
  /^(?:expire|invalidate|revoke)s?\b.{0,30}\b(?:sessions?|tokens?)\b.{0,40}\b(?:after|on|upon|when)\b/i,
  /\bprevents?\b.{0,20}\b(?:anonymous|guests?|non[- ](?:admin|member|owner)s?|unauth\w{1,14})\b.{0,20}\bfrom\b/i,
  // A way around a check, unless it is one around a cache or a proxy, which is a feature.
  /^(?!.*\b(?:cach\w{1,3}|prox(?:y|ies))\b).*\b(?:close|handle|prevent|block)(?:s|d|ed)? (?:an? |the )?(?:\w{1,20} ){0,2}bypass(?:es)?\b/i,
  // What is allowed now is a part of what was allowed before.
  /^restrict(?:s|ed)?\b.{0,60}\bto (?:only )?(?:safe|trusted|allowed|configured)\b/i,
  /^(?:cap|limit|bound|clamp)s?\b.{0,30}\b(?:access (?:levels?|modes?|rights)|permissions?|privileges?|roles?)\b/i,
  /^(?:use|switch to) safe\s.{0,40}\b(?:APIs?|construction|functions?|methods?|quer(?:y|ies)|redirects?|rendering)\b/i,
  /\b(?:CVEs?|vulnerabilit(?:y|ies)) (?:fix(?:es)?|patch(?:es)?)\b/i,
  /^(?:add|fix|repair|enforce|implement|correct)\w{0,4}\b.{0,30}\b(?:access|authori[sz]ation|ownership|permission)s? checks?\b|^missing (?:access|authori[sz]ation|permission) checks?\b/i,
  /^secures?\b.{0,40}\b(?:uploads?|downloads?|endpoints?|cookies?|routes?|pages?|access|sessions?|tokens?|files?|requests?)\b/i,
  // Whoever makes a server end takes it from everybody else.
  /\b(?:prevent(?:s|ed)?|do(?:es)? not|don'?t|avoid(?:s|ed)?|never|no longer|stop(?:s|ped)?)\b.{0,20}\b(?:server|service|daemon|listener|process)\b.{0,12}\b(?:crash|exit|shut(?:ting)?[- ]?down|terminat|quit|stop)\w{0,4}\b|\b(?:do(?:es)? not|don'?t|never|no longer) (?:crash|exit|shut ?down|terminate|quit) (?:the |a )?(?:whole |entire )?(?:server|service|daemon|listener)\b/i,
  // What is too large or malformed ends a program that panics.
  /\breturns?\b.{0,20}\berrors?\b.{0,30}\b(?:rather than|instead of)\b.{0,20}\b(?:panic|crash|abort)\w{0,4}\b.{0,60}\b(?:too (?:long|large|big|many)|invalid|malformed|bad)\b/i,
  /^(?:fix(?:e[sd])?|enforce[sd]?|check(?:s|ed)?)\b.{0,60}\blimits?\b.{0,20}\bexceeded\b/i,
  /\b(?:block|refuse|reject|disallow)(?:s|ed)? unsafe\b/i,
  // What foreign input does to a reader that is not ready for it.
  /\b(?:crafted|invalid|long|malformed)\b.{0,40}\b(?:freez|hang|loop)\w{0,4}\b/i,
  /^(?:blacklist|blocklist|denylist)(?:s|ed)?\b.{0,40}\b(?:functions?|methods?|names?|opt(?:ion)?s?|properties|props?)\b/i,
  /^encodes?\b.{0,20}\b(?:headers?|html|redirects?|responses?)\b.{0,20}\b(?:ur[il]s?|names?|values?)?\b/i,
  /\bsecurity (?:measures?|restrictions?)\b|\b(?:Unsanitized|unsanitized|Sanitized)[A-Z]?\w{0,40}\b|\bnoopener\b/,
  /^(?:fix .{0,12}|implement(?:s|ed)? |use .{0,30})\bblinding\b/i,
  /^use safe (?:maps?|function arguments?|defaults?)\b/i,
  // The address of a server often has its password.
  /\b(?:do(?:es)? not|don'?t|never|no longer|stop) (?:print|log|leak|expose|show)\w{0,4}\b.{0,20}\b(?:ur[il]s?|dsn|connection strings?)\b/i,
  // A name must have its last form before somebody checks it (CWE-180).
  /\b(?:canonicali[sz]|decod|normali[sz]|pars|resolv|split)\w{0,5}\b.{0,30}\bbefore (?:the )?(?:check|compar|match|validat|verif)\w{0,5}\b|\b(?:check|validat|verif)\w{0,4} after (?:canonicali[sz]|decod|normali[sz]|pars|resolv|split)\w{0,5}\b/i,
  // Rules about who may do what, and lists of what is forbidden that grow.
  /^enforces? (?:the )?(?:access )?rules?\b|\b(?:check|verify)\b.{0,30}\b(?:network access|access rules?)\b/i,
  /^adds?\b.{0,30}\bto\b.{0,20}(?:forbidden|disallowed|(?:block|deny|black)[-_ ]?list)/i,
  /\b(?:do not|don'?t|never|no longer|stop) (?:run|execut|load)\w{0,3}\b.{0,30}\bfrom (?:the )?(?:cwd|current (?:working )?director(?:y|ies))\b/i,
  // A value that begins with a dash must not be read as an option (CWE-88).
  /^(?:stop|end)s?\b.{0,12}\b(?:argument|option)s? (?:parsing|processing)\b|^(?:add|insert|use|pass)s?\b.{0,12}["'`]?--["'`]? (?:before|separator|to separate)\b/i,
  // Where a browser is sent after a login (CWE-601).
  /^(?:fix\w{0,2} )?(?:the )?(?:next|return|redirect)[ _-]?(?:ur[il]|to)?s? (?:on|after|at|in) (?:the )?(?:login|logout|log ?in|sign[ -]?in)\b/i,
  /^(?:fix|prevent|block|close|disallow)\w{0,2}\b.{0,80}\bbypass(?:es|ed|ing)? (?:the |of )?(?:access|acls?|auth\w{0,11}|checks?|csrf|permissions?|polic\w{1,3}|protection|rbac|restrictions?|sandbox|validation)\b/i,
  /^(?:\w{1,20}ly )?(?:deny|refuse|reject)(?:s|ed)?\b.{0,80}\b(?:certificates?|keys?|sessions?|tokens?)\b.{0,20}\b(?:expired|invalid|revoked|untrusted)\b/i,
  // What turns a text into code or markup (CWE-79, CWE-95, CWE-502).
  /^(?:avoid|drop|remove|replace|stop|eliminate|do not use|don'?t use)(?:s|d|ping)?\b.{0,30}(?:\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write)\b|\beval\(\)|\bnew Function\b|\b(?:yaml|pickle|marshal)\.loads?\b|\bshell=True\b|\bos\.system\b)/i,
];

/** Returns whether a subject says that the commit fixes a way to do harm: a verb such as "prevent" close before a word such as "bypass". */
export function saysSecurityFix(subject: string): boolean {
  const type = typeOf({ subject });
  if (type === "security" || type === "sec") return true;
  const text = textOf(subject);
  // What fails while a program ends is of no use to an attacker.
  if (/\b(?:on|at|during) (?:exit|shutdown|teardown)\b/i.test(text)) return false;
  // The repair of a fix closes nothing new.
  if (/\bregressions?\b.{0,40}\b(?:because of|after|from|by)\b.{0,20}\b(?:last|previous|earlier|recent)\b/i.test(text)) return false;
  // A warning of a tool is no vulnerability, such as "integer overflow warnings".
  if (/^(?:fix|resolve|address|silence)\w{0,3}\b.{0,60}\bwarnings?\b/i.test(text)) return false;
  if (type !== "feat" && STATEMENTS.some((statement) => statement.test(text))) return true;
  if (narrowsAccess(subject)) return true;
  if (FIX_TYPES.has(type) && ESCAPES.test(text)) return true;
  if (type !== "feat" && isFaultAlone(text)) return true;
  // The type says what the verb would: "fix: prototype pollution".
  const whole = FIX_TYPES.has(type) ? `fix ${text}` : text;
  const ends = [...whole.matchAll(VERB)].map(({ index, 0: verb }) => index + verb.length);
  return ends.some((end) => HARM.some((harm) => (harm.exec(whole.slice(end))?.index ?? Infinity) <= changeThresholds.verbDistance.value));
}

// A repair that escapes something, unless it is about the look of a text.
const ESCAPES =
  /^(?:apply|call|extend|use) saniti[sz]e\w{0,30}\b|^escapes?\b(?!.*\b(?:ansi|asterisks?|leading|literal|markdown|markers?|quotes|sequences?)\b)/i;

/** The name of a fault alone, such as "use-after-free in the list", is that of its repair. */
function isFaultAlone(text: string): boolean {
  const fault = text.replace(/^(?:an?|possible|potential|the) /i, "");
  return HARM.some((harm) => {
    const found = harm.exec(fault);
    return found?.index === 0 && /^ (?:in|on|through|via|when|with) /.test(fault.slice(found[0].length));
  });
}

// Access that users or programs had, and that they have no longer.
const NARROWED = [
  /^requires?\b.{0,20}\b(?:admin\w{0,10}|auth\w{0,11}|login|logged[- ]in|owner(?:ship)?|permissions?|POST|privileges?)\b/i,
  /^enforces?\b.{0,20}\baccess\b(?!.*\bpolic)/i,
  /^trusts?\b.{0,60}\bonly\b|^only trusts?\b|^(?:don'?t|do not|never|no longer|stop) trust(?:ing)?\b/i,
  /^(?:only (?:allow|let|permit)|restrict)s?\b.{0,60}\b(?:admin(?:istrator)?s?|authenticated|authori[sz]ed|logged[- ]in|owners?)\b/i,
  /^(?:disallow|reject|refuse|forbid|no longer accept|stop accepting|do not accept|don'?t accept)s?\b.{0,20}\b(?:credential|key|password|secret|token)s? .{0,20}\b(?:from|in|through|via)\b/i,
  /^(?:don'?t|do not|never|no longer|stop|disallow) follow(?:ing)? (?:\w{1,20} )?(?:redirects?|sym(?:bolic )?links?)\b/i,
];

/** Returns whether a subject says that a use needs a right that it did not need, or that a way in is closed. */
export function narrowsAccess(subject: string): boolean {
  const text = textOf(subject);
  return typeOf({ subject }) !== "feat" && NARROWED.some((statement) => statement.test(text));
}

// What is weak alone, but of the same kind as the other fixes of a release that closes ways to do harm.
const COMPANIONS = [
  /\b(?:panic|crash)(?:s|es)?\b.{0,30}\b(?:crafted|invalid|malformed|oversized|truncated)\b/i,
  /^(?:validate|escape|sanitize|clean|verify)\b.{0,40}\b(?:address(?:es)?|html|names?|paths?|ur[il]s?)\b/i,
  /\b(?:RFC|spec|standards?)[- ]complian\w{1,4}\b|\brequest framing\b/i,
  // Less is accepted than before, or the reader must say what it expects.
  /^(?:accept|allow|permit)s? only\b|^only (?:accept|allow|permit)s?\b|^(?:limit|restrict)s?\b.{0,30}\b(?:algorithms?|protocols?|schemes?|types?)\b/i,
  /^escapes?\b/i,
  // What comes from outside must not lead too deep.
  /\bRecursionError\b|\bmax(?:imum)?[ -](?:nesting|depth|recursion)\b|\b(?:nesting|recursion) (?:depth|limit)\b/i,
  /^(?:reject|refuse|forbid|disallow|guard|block)(?:s|ed)?\b.{0,40}\bunsafe\b/i,
  /^(?:add|require)s?\b.{0,20}\b(?:allowed|expected|explicit|specify\w{0,3})\b.{0,20}\balgorithms?\b/i,
  // A peer that says nothing holds a connection.
  /^(?:add|enforce|set)s?\b.{0,30}\b\w{0,20}(?:handshake|header|idle|read)[ -]?\w{0,12}timeouts?\b/i,
  // Programs without a safe memory end, or write where they should not.
  /\bseg(?:mentation)?[ -]?faults?\b|\bbuffer\b.{0,40}\b(?:enough|sufficient) (?:room|size|space)\b/i,
];

/** Returns whether a subject is that of a security fix, if other commits of the release are such fixes. */
export function saysCompanion(subject: string): boolean {
  return COMPANIONS.some((statement) => statement.test(textOf(subject)));
}

/** Returns whether a subject says that foreign input is cleaned or kept out. */
export function cleansInput(subject: string): boolean {
  return /^(?:escape|sanitize|clean|encode|restrict|limit|deny|reject|refuse|forbid|disallow|require|validate)/i.test(textOf(subject));
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
    // Headers that tell a browser to be careful.
    /^(?:add|send|set)s?\b.{0,15}\b(?:CSP|Content-Security-Policy|HSTS|Strict-Transport-Security|X-Frame-Options|X-Content-Type-Options|nosniff)\b/i.test(
      text,
    ) ||
    /^enforces?\b.{0,20}\b(?:2FA|MFA|polic(?:y|ies)|permissions?)\b/i.test(text) ||
    /^(?:bound|cap|clamp|limit)(?:s|ed|ped)?\b.{0,30}\b(?:length|size|depth|nesting)s?\b/i.test(text)
  );
}

const FIX_TYPES: ReadonlySet<string> = new Set(["fix", "bugfix", "hotfix", "security"]);

/** Returns true if the subject itself names the advisory. */
export function namesAdvisory({ advisories, subject }: CommitFacts): boolean {
  return (advisories ?? []).some((id) => subject.toUpperCase().includes(id.toUpperCase()));
}

/** The words of a body that name an attack. A body describes many things, so other words count for less. */
export const ATTACKS: ReadonlySet<string> = new Set(["injection", "traversal", "prototype_pollution", "smuggling", "denial_of_service"]);

/** Returns true if the body of a commit names an attack or a vulnerability. */
export function namesAttack({ security }: CommitFacts): boolean {
  return (security ?? []).some((word) => ATTACKS.has(word) || word === "vulnerability");
}
