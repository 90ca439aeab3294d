import type { ReleaseFacts } from "@toolbus/release-facts";
import { type CommitFacts, textOf, touches } from "./product-change.ts";
import { isPublic } from "./public-names.ts";

/**
 * Returns the words of public names that are gone or have another form, such as "Cart" and "size" for "Cart.size". Only words that look like code count,
 * because a subject may have any other one by chance.
 */
export function changedNames(facts: ReleaseFacts): ReadonlySet<string> {
  // Whoever calls a class calls its constructor.
  const names = [...facts.exports.removed, ...facts.exports.changed]
    .map(({ file, name }) => ({ file, name: name.replace(/\.__init__$/, "") }))
    .filter(({ file, name }) => isPublic(file, name, facts));
  return new Set(
    names.flatMap(({ name }) => name.split(/\W+/)).filter((word) => /^[a-z]+[A-Z]|^[A-Z]\w*[a-z][A-Z]|[a-z]_[a-z]/.test(word)),
  );
}

/** Returns whether a commit takes away what users had: by its words, or because it names a public name that has another form after the release. */
export function saysRemoval(commit: CommitFacts, changed: ReadonlySet<string>): boolean {
  // "Fixes #746, removed the old flag" says what was removed.
  const text = textOf(commit.subject).replace(/^(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?) #\d{1,7}[,:;.]? (?:- )?/i, "");
  // Whoever only has this cipher cannot connect any more.
  if (
    /^(?:drop(?:s|ped)?|remove[sd]?|disable[sd]?)\b.{1,40}\bfrom (?:\w+ ){0,3}(?:algorithms?|ciphers?|cipher suites?|key exchanges?|macs)\b/i.test(
      text,
    )
  )
    return true;
  // A name that is private now is gone for everybody else.
  if (/^make[sd]?\b (?!\S* ?(?:sure|it)\b).{1,60}\bprivate\b(?! (?:keys?|repo\w*))/i.test(text)) return true;
  if (!/^(?:drop(?:s|ped)?|remove[sd]?|delete[sd]?)\b/i.test(text)) return false;
  if (text.match(/\w{4,160}/g)?.some((word) => changed.has(word)) && !/\bdead code\b/i.test(text)) return true;
  // Who wrote the docs of a name knows that users have it.
  if (
    touches(commit, "docs") &&
    NAME.test(text) &&
    !/\b(?:calls?|comments?|dependenc\w{1,3}|imports?|occurrences?|requirements?|todos?|typos?|usages?|uses?|warnings?)\b/i.test(text)
  )
    return true;
  if (/^\w+ (?:the )?legacy\s.{0,40}\b(?:behaviou?rs?|fallbacks?|logic|modes?)\b/i.test(text)) return true;
  // What others build on, and the old of two ways.
  if (
    /\b(?:code paths?|ext(?:ension)? traits?)\b|\bhooks?\b.{0,20}\benvironment\b|\bin (?!.*\b(?:commit|git|lint|push)\b).{1,40}\bhook\b/i.test(
      text,
    )
  )
    return true;
  if (INTERNAL.test(text)) return false;
  // Whoever watches the product has them in a dashboard or an alert.
  if (/^\w+ .{0,60}\bmetrics?\b(?! (?:code|collection|lib\w*|package|registry|server|tests?))/i.test(text)) return true;
  if (/^\w+(?: (?:the|all|old|previously|long|code|and)\b){0,3} (?:deprecat|(?:[\w`'".-]{1,40} ){0,2}support\b)/i.test(text)) return true;
  if (
    /^\w+ .{0,60}\b(?:api|cli|rest|http|web|compatibility|public|old|legacy) (?:endpoint|route|command|flag|option|method)s?\b/i.test(text)
  )
    return true;
  if (
    /^\w+ (?:(?:the|all)\s)?(?:old|legacy|obsolete|previous)\s.{0,40}\b(?:behaviou?rs?|parameters?|arguments?|names?|formats?)\b/i.test(
      text,
    )
  )
    return true;
  // What users have is in the docs.
  return touches(commit, "docs") && /\b(?:apis?|commands?|endpoints?|features?|flags?|methods?|options?|settings?)\b/i.test(text);
}

/** A name of code soon after the verb. */
const NAME = /^\w+ (?:(?!from\b|in\b|to\b)[\w'-]{1,40} ){0,2}(?:`[\w.()]{3,80}`|\w{2,80}\(\)|[a-z]{2,80}(?:_\w{1,80}|[A-Z]\w{1,80}))/;

/** What only the code of the product itself had. */
const INTERNAL =
  /\b(?:blank|calls?|duplicate[sd]?|empty|extra \w+|from|imports?|internal|leftovers?|redundant|requirements?|restrictions?|trailing|unnecessary|unneeded|unused|usages?|uses?|warnings?)\b/i;
