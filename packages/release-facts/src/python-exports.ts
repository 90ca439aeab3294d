import { parenthesised, signatureOf } from "./signature.ts";

/**
 * Returns the public names of a Python module: classes, functions and public methods (as Class.method), and the names in `__all__`. Names with a
 * leading underscore are private, and so is every name in a module with one.
 */
export function pythonExports(path: string, content: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (/(?:^|\/)_(?!_init__\.py)[^/]*(?:\/|$)/.test(path.replace(/__init__\.py$/, "x.py"))) return names;
  let owner: string | null = null;
  for (const found of content.matchAll(/^([ \t]*)(?:(class)\s+(\w+)|(?:async\s+)?def\s+(\w+)\s*(?=\())/gm)) {
    const [whole, indent = "", isClass, className, functionName] = found;
    if (isClass && className !== undefined) {
      if (indent !== "") continue;
      owner = className;
      if (!className.startsWith("_")) names.set(className, "");
    } else if (functionName !== undefined) {
      const isPublic = !functionName.startsWith("_") || functionName === "__init__";
      const signature = () => signatureOf(parenthesised(content, found.index + whole.length));
      if (indent === "") {
        owner = null;
        if (isPublic) names.set(functionName, signature());
      } else if (owner !== null && !owner.startsWith("_") && isPublic && indent.replaceAll("\t", "    ").length <= 4) {
        names.set(`${owner}.${functionName}`, signature());
      }
    }
  }
  const [, list = ""] = /^__all__\s*(?::[^=]{1,60})?=\s*[[(]([^\])]{0,20000})[\])]/m.exec(content) ?? [];
  for (const [, name] of list.matchAll(/["'](\w{1,160})["']/g)) if (name !== undefined && !names.has(name)) names.set(name, "");
  return names;
}
