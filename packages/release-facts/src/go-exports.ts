import { readBlobs } from "./blob-reader.ts";
import { filesAt } from "./files-at.ts";
import type { Git } from "./git-command.ts";
import { goMembers } from "./go-members.ts";
import { parenthesised, signatureOf } from "./signature.ts";

const MOST_FILES = 100;

/**
 * Returns whether the package is a Go program: a file at its top is of the package main. Nobody imports the other packages of a program. Files that are
 * only built under a condition are tools.
 */
export async function hasGoProgram(git: Git, commit: string, directory: string | null): Promise<boolean> {
  const top = directory === null ? "" : `${directory}/`;
  const isAtTop = (path: string) => path.startsWith(top) && /^[\w.-]{1,200}(?<!_test)\.go$/.test(path.slice(top.length));
  const ids = [...(await filesAt(git, commit))].flatMap(([path, id]) => (isAtTop(path) ? [id] : []));
  const texts = await readBlobs(git, ids.slice(0, MOST_FILES));
  return [...texts.values()].some((text) => {
    const [before] = /^[^]*?^package main\b/m.exec(text) ?? [];
    return before !== undefined && !/^\/\/ ?(?:go:build|\+build)\b/m.test(before);
  });
}

/** Returns the exported names of a Go file. Methods and fields have the name of their type. Files of internal packages and tests export nothing. */
export function goExports(path: string, source: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  // One type has two names.
  const content = source.replaceAll(/\binterface ?\{ ?\}/g, "any");
  if (/(?:^|\/)internal\/|_test\.go$/.test(path) || /^package main$/m.test(content)) return names;
  for (const found of content.matchAll(
    /^func\s+(?:\(\s*(?:\w+\s+)?\*?([A-Z]\w*)(?:\[[^\]]{0,100}\])?\s*\)\s*)?([A-Z]\w*)\s*(?:\[[^\]]{0,300}\])?(?=\()/gm,
  )) {
    const [whole, receiver, name = ""] = found;
    const open = found.index + whole.length;
    const parameters = parenthesised(content, open);
    const [results = ""] = content.slice(open + parameters.length).split("{", 1);
    names.set(receiver === undefined ? name : `${receiver}.${name}`, functionOf(parameters, results.slice(0, 500)));
  }
  // A method of a type that is not exported has a name of its own only through an interface, so the pattern above does not match it.
  for (const [, name] of content.matchAll(/^(?:type|var|const)\s+([A-Z]\w*)/gm)) if (name !== undefined) names.set(name, "");
  let inBlock = false;
  for (const line of content.split("\n")) {
    if (/^(?:type|var|const)\s+\(/.test(line)) inBlock = true;
    else if (line.startsWith(")")) inBlock = false;
    const [, name] = inBlock ? (/^\t([A-Z]\w*)\b/.exec(line) ?? []) : [];
    if (name !== undefined) names.set(name, "");
  }
  for (const [name, signature] of goMembers(content, methodOf)) names.set(name, signature);
  return names;
}

/** Identifies a method of an interface by the text after its name. */
function methodOf(text: string): string {
  const parameters = parenthesised(text, 0);
  return functionOf(parameters, text.slice(parameters.length));
}

function functionOf(parameters: string, results: string): string {
  return signatureOf(`${typesOnly(parameters)}${results}`);
}

/** Removes the names of simple parameters, because callers do not see them. `(a, b int)` keeps its names. */
function typesOnly(parameters: string): string {
  return parameters.replaceAll(/([(,]\s*)\w+\s+(?=[\w.*[\]]+\s*[,)])/g, "$1");
}
