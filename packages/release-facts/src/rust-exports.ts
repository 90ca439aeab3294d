import { readFileAt } from "./blob-reader.ts";
import type { Git } from "./git-command.ts";
import { parenthesised, signatureOf } from "./signature.ts";

/**
 * Returns the public names of a Rust file: what is `pub` at the margin, public functions of its types as Type::function, and re-exported names.
 * `pub(crate)` is private. The file may be in a private module, so its caller checks {@link publicRustFiles} too.
 */
export function rustExports(content: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  let owner: string | null = null;
  for (const found of content.matchAll(
    /^(?:impl\b[^{;\n]{0,300}?\b([A-Z]\w{0,160})(?:<[^{;\n]{0,200})? ?\{|( {4}|\t)?pub (?:(?:const|async|unsafe|extern "C") ){0,3}(fn|struct|enum|trait|type|const|static|union|macro) (\w{1,160})|\}|pub use ([^;]{1,2000});)/gm,
  )) {
    const [whole, type, indent, kind, name, used] = found;
    if (whole === "}") owner = null;
    else if (type !== undefined) owner = / for /.test(whole) ? null : type;
    else if (used !== undefined) for (const each of usedNames(used)) names.set(each, "");
    else if (name !== undefined && (indent === undefined || owner !== null)) {
      if (indent !== undefined && kind !== "fn") continue;
      const open = content.indexOf("(", found.index + whole.length);
      const signature =
        kind === "fn" && open >= 0 && open - found.index - whole.length < 300 ? signatureOf(parenthesised(content, open)) : "";
      names.set(indent === undefined ? name : `${owner ?? ""}::${name}`, signature);
    }
  }
  return names;
}

/** Returns the names that `pub use` brings, such as A and C for `a::{A, B as C}`. */
function usedNames(path: string): readonly string[] {
  return path
    .slice(path.lastIndexOf("{") + 1)
    .replaceAll("}", "")
    .split(",")
    .flatMap((part) => /(\w{1,160})\s*$/.exec(part.slice(-200))?.[1] ?? []);
}

const MOST_CRATES = 40;

/**
 * Returns which Rust files belong to the interface of a library: those of a crate with a file lib.rs, in a module that lib.rs declares as public or of
 * which it exports something. A program has no such file, so nobody uses its names.
 */
export async function publicRustFiles(git: Git, commit: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const roots = new Set(paths.flatMap((path) => rootOf(path) ?? []));
  const found = new Set<string>();
  for (const root of [...roots].slice(0, MOST_CRATES)) {
    const lib = await readFileAt(git, commit, `${root}lib.rs`);
    if (lib === undefined) continue;
    const modules = new Set([...lib.matchAll(/^pub (?:mod|use) (?:crate::|self::)?(\w{1,160})/gm)].map(([, name]) => name));
    for (const path of paths) {
      if (rootOf(path) !== root) continue;
      const [top = ""] = path.slice(root.length).split("/");
      if (top === "lib.rs" || modules.has(top.replace(/\.rs$/, ""))) found.add(path);
    }
  }
  return found;
}

/** Returns the folder with the source of the crate, such as "src/". */
function rootOf(path: string): string | null {
  return /^((?:[^/]{1,100}\/){0,12}?src\/)(?!bin\/|main\.rs$).{1,300}\.rs$/.exec(path)?.[1] ?? null;
}
