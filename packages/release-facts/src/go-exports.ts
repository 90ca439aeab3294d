import { readFileAt } from "./blob-reader.ts";
import type { Git } from "./git-command.ts";
import { parenthesised, signatureOf } from "./signature.ts";

/** Returns whether the package is a Go program: the file main.go at its top is of the package main. Nobody imports the other packages of a program. */
export async function hasGoProgram(git: Git, commit: string, directory: string | null): Promise<boolean> {
  const main = await readFileAt(git, commit, directory === null ? "main.go" : `${directory}/main.go`);
  return main !== undefined && /^package main\b/m.test(main);
}

/** Returns the exported names of a Go file. Methods have their receiver's type. Files of internal packages and tests export nothing. */
export function goExports(path: string, content: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (/(?:^|\/)internal\/|_test\.go$/.test(path) || /^package main$/m.test(content)) return names;
  for (const found of content.matchAll(
    /^func\s+(?:\(\s*(?:\w+\s+)?\*?([A-Z]\w*)(?:\[[^\]]{0,100}\])?\s*\)\s*)?([A-Z]\w*)\s*(?:\[[^\]]{0,300}\])?(?=\()/gm,
  )) {
    const [whole, receiver, name = ""] = found;
    const open = found.index + whole.length;
    const parameters = parenthesised(content, open);
    const [results = ""] = content.slice(open + parameters.length).split("{", 1);
    names.set(receiver === undefined ? name : `${receiver}.${name}`, signatureOf(`${typesOnly(parameters)}${results.slice(0, 500)}`));
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
  return names;
}

/** Removes the names of simple parameters, because callers do not see them. `(a, b int)` keeps its names. */
function typesOnly(parameters: string): string {
  return parameters.replaceAll(/([(,]\s*)\w+\s+(?=[\w.*[\]]+\s*[,)])/g, "$1");
}
