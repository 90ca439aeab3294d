import type { PatchHunk } from "./patch-reader.ts";
import type { HunkKind } from "./release-facts.ts";

// Patterns over single lines. Each needs a whole word of code, because "author" is not "auth".
const PATTERNS: readonly (readonly [HunkKind, RegExp])[] = [
  [
    "auth",
    /\b(?:auth(?:n|z|enticat\w*|oriz\w*)?|credentials?|password|passwd|secret|token|jwt|oauth2?|saml|csrf|xsrf|hmac|sha(?:1|256|384|512)|md5|encrypt\w*|decrypt\w*|cipher\w*|certificates?|x509|tls\w*|ssl\w*|signature|verify_\w+|rejectUnauthorized|constantTimeCompare|timingSafeEqual|permissions?|setuid|cookies?|csp|nonce|same_?origin|(?:cross_?)?origin)\b/i,
  ],
  [
    "sql",
    /\b(?:select\s+.{1,80}\s+from|insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+table|alter\s+table|executemany|prepareStatement)\b/i,
  ],
  [
    "concurrency",
    /\b(?:mutex|rwmutex|sync\.\w+|atomic\w*|locks?|unlock|semaphore|waitgroup|goroutine|go func|select \{|chan |threading|asyncio|concurrent|thread_local|spawn|Arc<|Promise\.(?:all|race|any|allSettled)|AbortController|AbortSignal|setImmediate|nextTick|queueMicrotask|worker_threads)\b|<-\s*\w+|\w+\s*<-\s/i,
  ],
  [
    "validation",
    /\b(?:valid(?:ate\w*|ator\w*|ity)?|invalid\w*|sanitiz\w*|escape\w*|unescape\w*|encodeURI\w*|decodeURI\w*|parse\w*|parser|regexp?|RegExp|re\.compile|new RegExp|pattern|whitelist|allow_?list|deny_?list|max_?(?:len|length|size|depth|bytes)|limit|hasOwn\w*|typeof|instanceof|isinstance|isNaN|overflow|SIZE_MAX|INT_MAX|UINT_MAX|bounds|normaliz\w*|malformed|__proto__)\b|\.(?:test|match|exec)\(/i,
  ],
  [
    "error_handling",
    /\b(?:try|catch|except|finally|throw|throws|raise|rescue|panic|recover|errors?|err|onerror|unwrap|expect|Result<|reject|goto\s+\w+)\b/i,
  ],
  [
    "logging",
    /\b(?:console\.\w+|log(?:ger|ging)?\.\w+|log\w*\(|logger|debug\(|warn(?:ing)?s?\.\w*|emitWarning|printf|println|zap\.\w+|eprintln|deprecate\w*)\b/i,
  ],
];

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|ifdef|ifndef|else|elif|endif|undef|pragma|error)\b)|--\s|<!--|""")/;
const IMPORT =
  /^\s*(?:import\b|from\s+\S+\s+import\b|export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s+from\b|(?:const|let|var)\s+.{1,200}=\s*require\(|require\b|use\s+[\w:]+|#\s*include\b|"[\w./-]+"$|\}\s*from\s+["'])/;

// A line that only says which version this is, such as `__version__ = "2.0.6"` or `#define XML_MINOR_VERSION 6`.
const VERSION =
  /^\W*(?:#\s*define\s+|(?:export|const|let|var|pub|static|public|final)\s+)*[\w.]*version[\w"']*\W[^(]{0,40}\d[\w.-]*["']?[,;)\s]*$/i;

/** Returns what a hunk does, by the patterns of its lines. Only the kind leaves this function, never a line. */
export function kindOfHunk(hunk: PatchHunk): HunkKind {
  const lines = [...hunk.removedLines, ...hunk.addedLines].map((text) => text.slice(0, 400)).filter((text) => text.trim() !== "");
  if (lines.length === 0) return "comment";
  if (lines.every((text) => COMMENT.test(text))) return "comment";
  if (lines.every((text) => IMPORT.test(text) || COMMENT.test(text))) return "import";
  const code = lines.filter((text) => !COMMENT.test(text));
  if (code.every((text) => VERSION.test(text))) return "version";
  return PATTERNS.find(([, pattern]) => code.some((text) => pattern.test(text)))?.[0] ?? "other";
}
