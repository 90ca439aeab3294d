import { advisoryIds } from "./advisory-ids.ts";
import { line as cleanLine } from "./clean-text.ts";
import { marksOf, sectionOf } from "./changelog-words.ts";
import type { ChangelogMark } from "./release-facts.ts";
import { firstVersionIn, stepOf, type Version } from "./version-step.ts";

/** One entry of a changelog that says something special. Its text stays in memory: only the first line is kept here, to find the commit that added it. */
export interface ChangelogItem {
  readonly line: number;
  readonly marks: readonly ChangelogMark[];
  readonly advisories: readonly string[];
  /** Numbers of issues or pull requests, such as "#12". */
  readonly issues: readonly string[];
  /** Hashes that the entry names, abbreviated or whole. */
  readonly hashes: readonly string[];
  readonly firstLine: string;
  /** The words of the entry in lower case, with one space before and after each. */
  readonly words: string;
}

/** The names of files that hold the changes of every release. */
export function isChangelog(path: string): boolean {
  return (
    /(?:^|\/)(?:changes|changelog|history|news|release[-_]?notes)(?:\.(?:md|markdown|rst|txt|adoc))?$/i.test(path) &&
    !/(?:^|\/)(?:node_modules|vendor|third_party|tests?|examples?|fixtures?)\//i.test(path)
  );
}

const MOST_LINES = 30_000;
const LONGEST_LINE = 600;
const LONGEST_ITEM = 1500;

/**
 * Returns the entries that a release adds to a changelog and that say something special. If the changelog has a section for the version, only sections
 * after the earlier version count. Otherwise the lines count that the earlier file did not have.
 */
export function changelogItems(before: string, after: string, from: Version | null, to: Version | null): readonly ChangelogItem[] {
  const known = new Set(linesOf(before).map((text) => text.trim()));
  const lines = linesOf(after);
  const found: ChangelogItem[] = [];
  let section: ChangelogMark | "fixed" | null = null;
  let belongs: boolean | null = null;
  let item: { at: number; texts: string[]; length: number } | null = null;
  const end = () => {
    if (item !== null && belongs !== false) {
      const isKnown = known.has((item.texts[0] ?? "").trim());
      if (belongs || !isKnown) found.push(...itemOf(item.at, item.texts, section).filter((each) => !isKnown || !isStandingNote(each)));
    }
    item = null;
  };
  for (const [at, text] of lines.entries()) {
    const heading = headingIn(text, lines[at + 1] ?? "");
    if (heading !== null) {
      end();
      const version = versionIn(heading);
      if (version !== null) {
        belongs = belongsTo(version, from, to);
        section = null;
      } else section = sectionOf(heading);
    } else if (text.trim() === "" || /^\s*([=~^*-])\1{2,}\s*$/.test(text)) {
      if (text.trim() === "") end();
    } else if (item === null || BULLET.test(text)) {
      end();
      item = { at: at + 1, texts: [text], length: text.length };
    } else if (item.length < LONGEST_ITEM) {
      item.texts.push(text);
      item.length += text.length;
    }
  }
  end();
  return found;
}

const STANDING_NOTE_CHARS = 30;

/**
 * Returns true for an entry that may be repeated in every section, such as a warning of a change that came long ago. A fix may have the same words as one of
 * another branch, and then it is new here.
 */
function isStandingNote({ marks, firstLine }: ChangelogItem): boolean {
  return firstLine.trim().length >= STANDING_NOTE_CHARS && !marks.includes("security");
}

function linesOf(text: string): readonly string[] {
  return text.split("\n", MOST_LINES).map((each) => each.slice(0, LONGEST_LINE).replace(/\s+$/, ""));
}

const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)]|(?:#\d{1,7}\s)+)\s*\S/;

/** Returns the text of a heading: with marks of Markdown, underlined, a line such as "Release 2.4.9" at the margin, or a line that ends with a colon. */
function headingIn(text: string, next: string): string | null {
  const [, marked] = /^#{1,6}\s{1,4}(\S.{0,300})$/.exec(text) ?? [];
  if (marked !== undefined) return marked;
  if (/^\S/.test(text) && text.length <= 120 && /^([=~^"*-])\1{2,}$/.test(next)) return text;
  if (/^(?:(?:release|version)\s+)?v?\d{1,6}\.\d{1,6}[\w.-]{0,30}(?:$|\s[^a-z]{0,30}|\s.{0,40}\d{4})/i.test(text) && !/[.,;:]$/.test(text))
    return text;
  const [, labelled] = /^\s{0,12}(?:\*\*|__)?([A-Z][\w /&-]{2,40}):?(?:\*\*|__)?:?$/.exec(text) ?? [];
  return labelled !== undefined && /(?:\*\*|:|__)$/.test(text) ? labelled : null;
}

function versionIn(heading: string): Version | null {
  const [, found] =
    /(?:^|[^\w.])v?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?(?:[-.]?(?:alpha|beta|rc|pre|dev)[\w.]{0,20})?)(?![\w.]*\/)/i.exec(
      heading.slice(0, 120),
    ) ?? [];
  return found === undefined ? null : firstVersionIn(found);
}

/** Returns null if the section does not say to which release it belongs. */
function belongsTo(version: Version, from: Version | null, to: Version | null): boolean | null {
  if (!from || !to) return null;
  // The candidates of the earlier version came before it.
  if (from.pre === "" && version.pre !== "" && from.numbers.every((number, at) => number === version.numbers[at])) return false;
  return !["back", "none"].includes(stepOf(from, version)) && stepOf(version, to) !== "back";
}

const NOTHING = /^\W{0,4}(?:n\/?a|none|nothing|no (?:known )?(?:breaking )?changes?|no breaking changes?|tbd|todo)\W{0,4}$/i;

function itemOf(at: number, texts: readonly string[], section: ChangelogMark | "fixed" | null): readonly ChangelogItem[] {
  const text = texts
    .map((each) => each.trim())
    .join(" ")
    .slice(0, LONGEST_ITEM)
    .replace(/^(?:[-*+•]|\d{1,3}[.)])\s+/, "");
  // Some changelogs keep every heading and write below it that there is nothing.
  if (NOTHING.test(text)) return [];
  const plain = text.replace(/^(?:#\d{1,7}\s+)+/, "").replaceAll(/\]\([^)\s]{1,300}\)/g, "]");
  const marks = marksOf(plain, section);
  if (marks.length === 0) return [];
  const advisories = advisoryIds(text).map((id) => cleanLine(id, 30));
  return [
    {
      line: at,
      marks,
      advisories: [...new Set(advisories)].slice(0, 10),
      issues: [...new Set([...text.matchAll(/(?:^|[^\w&])#(\d{1,7})\b/g)].map(([, issue]) => `#${issue}`))].slice(0, 10),
      hashes: [...new Set([...text.matchAll(/\b(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}\b/g)].map(([hash]) => hash))].slice(0, 10),
      firstLine: texts[0] ?? "",
      words: wordsOf(text),
    },
  ];
}

/** Returns the words of a text in lower case, with one space before and after each, so that one text can be searched in another. */
export function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ")} `;
}
