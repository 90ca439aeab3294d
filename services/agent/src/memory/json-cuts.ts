import { wholeEnd } from "@toolbus/contracts";
import type { Cuts, Section } from "./cuts.ts";

/**
 * Finds the best cuts of JSON. It cuts between two members, preferably between members of the outermost objects and lists. Inside a long string it
 * cuts before a heading, after a blank line or after a line, and never inside an escape. Returns null for a text that is not a JSON object or list.
 */
export function jsonCuts(text: string): Cuts | null {
  if (!isContainer(text)) return null;
  let from = beginning();
  const headings = new Map([[0, pathOf(text, advanced(text, from, text.search(/[[{]/) + 1))]]);
  return {
    best(lo, hi) {
      from = advanced(text, from, bestPlace(text, from, lo, hi));
      headings.set(from.at, pathOf(text, from));
      return from.at;
    },
    heading: (at) => headings.get(at) ?? "",
    sections: () => sectionsOf(text),
  };
}

/** The state of a scan: the position, the containers around it, and whether it is inside a string. */
interface Scan {
  at: number;
  readonly stack: Frame[];
  /** The start of the string around the position. Null outside a string. */
  string: number | null;
}

interface Frame {
  readonly list: boolean;
  /** In a list, the index of the current or next item. */
  index: number;
  /** In an object, the member whose value is next or being read. Null if the next string is a name. */
  key: string | null;
}

const DEEPEST = 8;
const IN_STRING = { heading: 20, blankLine: 21, line: 22 } as const;
const KEY_CHARS = 80;

const beginning = (): Scan => ({ at: 0, stack: [], string: null });

function isContainer(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the last of the best places from `lo` to `hi`. */
function bestPlace(text: string, from: Scan, lo: number, hi: number): number {
  const scan = copy(from);
  let best: { readonly rank: number; readonly at: number } | null = null;
  // The start of the character or escape that was read last.
  let last = from.at;
  while (scan.at < hi) {
    last = scan.at;
    const rank = step(text, scan);
    if (rank !== null && scan.at >= lo && scan.at <= hi && (!best || rank <= best.rank)) best = { rank, at: scan.at };
  }
  if (best) return best.at;
  // An escape or a surrogate pair that crosses `hi` goes into the next chunk.
  return scan.at === hi || last <= from.at ? wholeEnd(text, hi) : last;
}

function advanced(text: string, from: Scan, at: number): Scan {
  const scan = copy(from);
  while (scan.at < at) step(text, scan);
  return scan;
}

function copy({ at, stack, string }: Scan): Scan {
  return { at, stack: stack.map((frame) => ({ ...frame })), string };
}

/** Reads one character or escape. Returns the rank of a cut right after it, where 1 is the best, or null if no cut is possible there. */
function step(text: string, scan: Scan): number | null {
  return scan.string === null ? stepOutside(text, scan) : stepInString(text, scan, scan.string);
}

function stepOutside(text: string, scan: Scan): number | null {
  const character = text[scan.at++];
  const frame = scan.stack.at(-1);
  switch (character) {
    case "{":
    case "[":
      scan.stack.push({ list: character === "[", index: 0, key: null });
      return null;
    case "}":
    case "]":
      scan.stack.pop();
      return null;
    case ",":
      if (frame) Object.assign(frame, { index: frame.index + 1, key: null });
      return scan.stack.length <= DEEPEST ? scan.stack.length : null;
    case '"':
      scan.string = scan.at;
      return null;
    default:
      return null;
  }
}

function stepInString(text: string, scan: Scan, began: number): number | null {
  const { at } = scan;
  const character = text[at];
  if (character === "\\") return stepOverEscape(text, scan);
  if (character === '"') {
    const frame = scan.stack.at(-1);
    if (frame && !frame.list && frame.key === null) frame.key = text.slice(began, wholeEnd(text, Math.min(at, began + KEY_CHARS)));
    scan.string = null;
  }
  // A surrogate pair is read as one character.
  scan.at = wholeEnd(text, at + 1) > at ? at + 1 : at + 2;
  return null;
}

function stepOverEscape(text: string, scan: Scan): number | null {
  const kind = text[scan.at + 1];
  scan.at += kind === "u" ? 6 : 2;
  if (kind !== "n") return null;
  if (/^#{1,3} /.test(text.slice(scan.at, scan.at + 4))) return IN_STRING.heading;
  return text.startsWith("\\n\\n", scan.at - 4) ? IN_STRING.blankLine : IN_STRING.line;
}

/** Returns the path of a position for people, with the member that begins there, such as `items[42]` or `build.log`. */
function pathOf(text: string, { stack, at }: Scan): string {
  const path = stack
    .map(({ list, index, key }) => (list ? `[${index}]` : key === null ? "" : `.${key}`))
    .join("")
    .replace(/^\./, "");
  const last = stack.at(-1);
  if (!last || last.list || last.key !== null) return path;
  NAME.lastIndex = at;
  const [, next = ""] = NAME.exec(text) ?? [];
  return path === "" ? next : next === "" ? path : `${path}.${next}`;
}

const NAME = /\s*"((?:[^"\\]|\\.){0,80})/y;
const MAX_SECTIONS = 20_000;

/** Returns the members of the outermost object and of the objects in it. Leaves out the items of lists, because they have no names. */
function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  const scan = beginning();
  while (scan.at < text.length && sections.length < MAX_SECTIONS) {
    const frame = scan.stack.at(-1);
    const began = scan.string;
    const unnamed = frame?.key === null;
    step(text, scan);
    if (!unnamed || frame.key === null || began === null || scan.stack.length > 2 || scan.stack.some(({ list }) => list)) continue;
    sections.push({ level: scan.stack.length, title: frame.key, at: began - 1 });
  }
  return sections;
}
