import { fieldOf } from "./member-signature.ts";
import { optionalParameters } from "./python-parameters.ts";
import { withoutTextBlocks } from "./python-text-blocks.ts";
import { parenthesised, signatureOf } from "./signature.ts";

/**
 * Returns the public names of a Python module: classes, functions and public methods (as Class.method), constants of classes, optional
 * parameters of functions (as function(parameter)), and the names in `__all__`. Names with a leading underscore are private, and so is every name in a
 * module with one.
 */
export function pythonExports(path: string, content: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (/(?:^|\/)_(?!_init__\.py)[^/]*(?:\/|$)/.test(path.replace(/__init__\.py$/, "x.py"))) return names;
  const code = withoutTextBlocks(content);
  let owner: string | null = null;
  const statements = [...code.matchAll(STATEMENTS)];
  const ends = endsOfLists(statements, code.length);
  for (const [at, found] of statements.entries()) {
    const [whole, indent = "", isClass, className, functionName, constant] = found;
    const depth = indent.replaceAll("\t", "    ").length;
    if (depth === 0) owner = className ?? null;
    if (isClass && className !== undefined) {
      if (depth === 0 && !className.startsWith("_")) names.set(className, "");
    } else if (functionName !== undefined) {
      if (functionName.startsWith("_") && functionName !== "__init__") continue;
      const name = nameIn(owner, functionName, depth);
      if (name !== null) addFunction(name, code.slice(found.index + whole.length, ends[at]));
    } else if (constant !== undefined) {
      // Most constants of modules are for the module itself.
      const name = depth === 0 ? null : nameIn(owner, constant, depth);
      if (name !== null) names.set(name, fieldOf(""));
    }
  }
  const [, list = ""] = /^__all__\s*(?::[^=]{1,60})?=\s*[[(]([^\])]{0,20000})[\])]/m.exec(content) ?? [];
  for (const [, name] of list.matchAll(/["'](\w{1,160})["']/g)) if (name !== undefined && !names.has(name)) names.set(name, "");
  return names;

  function addFunction(name: string, rest: string): void {
    names.set(name, signatureOf(parenthesised(rest, 0)));
    // Whoever makes an object calls its class.
    const called = name.replace(/\.__init__$/, "");
    for (const parameter of optionalParameters(rest)) names.set(`${called}(${parameter})`, fieldOf(""));
  }
}

/** The beginnings of classes, functions and constants, and of other blocks outside every class. */
const STATEMENTS =
  /^([ \t]*)(?:(class)\s+(\w+)|(?:async\s+)?def\s+(\w+)\s*(?=\()|([A-Z][A-Z0-9_]{2,80})\s*(?::[^=\n]{1,120})?=(?!=)|(?:if|try|for|while|with)\b)/gm;

/** Returns the name of what stands in a module, or in a class of it. Returns null for what is private, or stands deeper. */
function nameIn(owner: string | null, name: string, depth: number): string | null {
  if (depth === 0) return name;
  return depth <= 4 && owner !== null && !owner.startsWith("_") ? `${owner}.${name}` : null;
}

/**
 * Returns where the parameters of each statement end at the latest: at the next class or function. Without this limit, a text of many unclosed lists would
 * be read again for each of them.
 */
function endsOfLists(statements: readonly RegExpMatchArray[], length: number): readonly number[] {
  const ends: number[] = [];
  let end = length;
  for (let at = statements.length - 1; at >= 0; at--) {
    const statement = statements[at];
    ends[at] = end;
    if (statement?.[3] !== undefined || statement?.[4] !== undefined) end = statement.index ?? end;
  }
  return ends;
}
