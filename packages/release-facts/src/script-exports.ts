import { parenthesised, signatureOf } from "./signature.ts";

/**
 * Returns the names that a JavaScript or TypeScript file exports, as ES module or as CommonJS. Methods that a CommonJS file puts on an object, such as
 * `res.send = function (…)`, count too, with their object. It reads the text without a parser, so an unusual form may be overlooked.
 */
export function scriptExports(content: string): ReadonlyMap<string, string> {
  const text = withoutComments(content);
  const names = new Map<string, string>();
  const add = (name: string | undefined, signature = "") => {
    if (name !== undefined && name !== "" && !names.has(name)) names.set(name, signature);
  };
  for (const found of text.matchAll(
    /^export\s+(default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*([\w$]*)\s*(?:<[^(]{0,500}>)?\s*(?=\()/gm,
  )) {
    add(found[1] ? "default" : found[2], signatureOf(parenthesised(text, found.index + found[0].length)));
  }
  for (const [, name] of text.matchAll(
    /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:class|const|let|var|type|interface|enum|const enum|namespace)\s+([\w$]+)/gm,
  ))
    add(name);
  for (const found of text.matchAll(/^export\s+(?:const|let)\s+([\w$]+)\s*(?::[^=\n]{1,300})?=\s*(?:async\s*)?(?=\()/gm)) {
    if (found[1] !== undefined) names.set(found[1], signatureOf(parenthesised(text, found.index + found[0].length)));
  }
  if (/^export\s+default\b/m.test(text)) add("default");
  for (const [, list = ""] of text.matchAll(/^export\s+(?:type\s+)?\{([^}]{0,3000})\}/gm))
    for (const name of namesOf(list, "as")) add(name);
  for (const [, name] of text.matchAll(/^export\s*\*\s*as\s+([\w$]+)/gm)) add(name);
  addCommonJs(text, add);
  return names;
}

// An entry file may export hundreds of names in one object.
const LONGEST_OBJECT = 30_000;
const MOST_OBJECTS = 20;

function addCommonJs(text: string, add: (name: string | undefined, signature?: string) => void): void {
  if (!/\bmodule\.exports\b|^[ \t]*exports\.|\bexports =/m.test(text)) return;
  for (const [, name] of text.matchAll(/^[ \t]*(?:module\.)?exports\.([\w$]+)\s*=(?!=)/gm)) add(name);
  for (const [, name] of text.matchAll(/Object\.defineProperty\((?:module\.)?exports,\s*["']([\w$]+)["']/g)) add(name);
  for (const found of [...text.matchAll(/\bmodule\.exports\s*=\s*(?=\{)/g)].slice(0, MOST_OBJECTS)) {
    for (const name of namesOf(topLevel(parenthesised(text, found.index + found[0].length, LONGEST_OBJECT)), ":")) add(name);
  }
  for (const [, name] of text.matchAll(/\bmodule\.exports\s*=\s*(?:new\s+)?([\w$]+)/g)) add(name === undefined ? undefined : "default");
  for (const found of text.matchAll(/^([\w$]+(?:\.prototype)?\.[\w$]+)\s*=\s*(?:async\s+)?function\s*[\w$]*\s*(?=\()/gm)) {
    const name = found[1] ?? "";
    if (!/^(?:module\.)?exports\./.test(name))
      add(name.replace(".prototype.", "#"), signatureOf(parenthesised(text, found.index + found[0].length)));
  }
}

/** Returns the outer names of a list such as `a, b as c` or `a, b: c`. With "as" the name after the word counts, with ":" the name before. */
function namesOf(list: string, word: "as" | ":"): readonly string[] {
  return list.split(",").flatMap((item) => {
    const parts =
      word === "as"
        ? item
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)
        : item.trim().split(":");
    const name =
      (word === "as" ? parts.at(-1) : parts[0])
        ?.trim()
        .replace(/^(?:get|set|async)\s+/, "")
        .replace(/\(.*$/s, "") ?? "";
    return /^[\w$]{1,160}$/.test(name) ? [name] : [];
  });
}

/** Returns the inside of an object literal without what is nested deeper. */
function topLevel(literal: string): string {
  let depth = 0;
  let text = "";
  for (const letter of literal) {
    if ("}])".includes(letter)) depth--;
    if (depth === 1 && !"{[()]}".includes(letter)) text += letter;
    if ("{[(".includes(letter)) depth++;
  }
  return text;
}

function withoutComments(content: string): string {
  const parts: string[] = [];
  let at = 0;
  // A regular expression would search the whole text again for each comment that never ends.
  while (at < content.length) {
    const start = content.indexOf("/*", at);
    const end = start < 0 ? -1 : content.indexOf("*/", start + 2);
    parts.push(end < 0 ? content.slice(at) : content.slice(at, start));
    at = end < 0 ? content.length : end + 2;
  }
  const text = parts.join("").replaceAll(/^[ \t]*\/\/.*$/gm, "");
  // The patterns above have several places for spaces beside each other. They would be slow on a long row of spaces.
  return text.replaceAll(/[^\S\n]+/g, " ").replaceAll(/(?: ?\n)+/g, "\n");
}
