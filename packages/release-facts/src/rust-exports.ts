import { readFileAt } from "./blob-reader.ts";
import type { Git } from "./git-command.ts";
import { rustMembers } from "./rust-members.ts";
import { parenthesised, signatureOf } from "./signature.ts";

/**
 * Returns the public names of a Rust file: what is `pub` at the margin, public members of its types as Type::name, and re-exported names.
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
        kind === "fn" && open >= 0 && open - found.index - whole.length < 300
          ? signatureOf(parenthesised(content, open))
          : kind === "type"
            ? aliasAt(content, found.index + whole.length)
            : "";
      names.set(indent === undefined ? name : `${owner ?? ""}::${name}`, signature);
    }
  }
  for (const [name, signature] of rustMembers(content)) if (!names.has(name)) names.set(name, signature);
  return names;
}

/** Identifies what an alias of a type stands for, such as the parameters of a callback. */
function aliasAt(content: string, at: number): string {
  const [, of] = /^[^=;]{0,200}=([^;]{1,600});/.exec(content.slice(at, at + 900)) ?? [];
  return of === undefined ? "" : signatureOf(of);
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
 * Returns which Rust files belong to the interface of a library: those of a crate with a file lib.rs, in a module that is public at each level, or of which
 * the module above it exports something. A module that is public only under a condition, and otherwise private, is private. A program has no file lib.rs, so
 * nobody uses its names.
 */
export async function publicRustFiles(git: Git, commit: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const roots = new Set(paths.flatMap((path) => rootOf(path) ?? []));
  const found = new Set<string>();
  for (const root of [...roots].slice(0, MOST_CRATES)) {
    const modules = modulesIn((file) => readFileAt(git, commit, `${root}${file}`));
    if ((await modules("")) === undefined) continue;
    for (const path of paths) {
      if (rootOf(path) === root && (await isPublic(path.slice(root.length).replace(/\.rs$/, "").split("/"), modules))) found.add(path);
    }
  }
  return found;
}

/** Returns which manifests belong to a crate with a library. */
export async function libraryCrates(git: Git, commit: string, manifests: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of manifests.slice(0, MOST_CRATES)) {
    const root = path.slice(0, path.lastIndexOf("/") + 1);
    if ((await readFileAt(git, commit, `${root}src/lib.rs`)) !== undefined) found.add(path);
  }
  return found;
}

/** Returns the public modules of a module, or undefined if it has no file. The module of the crate itself is "". */
type Modules = (module: string) => Promise<ReadonlySet<string> | undefined>;

async function isPublic(path: readonly string[], modules: Modules): Promise<boolean> {
  const names = path.at(-1) === "mod" || path.join("/") === "lib" ? path.slice(0, -1) : path;
  for (const [depth, name] of names.entries()) {
    const inside = await modules(names.slice(0, depth).join("/"));
    // The code of a module may be in a file that another attribute names. Then what it exports is not known, and its parent decides.
    if (inside !== undefined && !inside.has(name)) return false;
  }
  return true;
}

function modulesIn(read: (file: string) => Promise<string | undefined>): Modules {
  const known = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  const readModules: Modules = async (module) => {
    const text = module === "" ? await read("lib.rs") : ((await read(`${module}.rs`)) ?? (await read(`${module}/mod.rs`)));
    if (text === undefined) return undefined;
    const names = (pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []);
    const own = new Set(names(/^(?:pub\([^)]{1,40}\) )?mod (\w{1,160})/gm));
    const open = names(/^pub mod (\w{1,160})/gm).filter((name) => !own.has(name));
    return new Set([...open, ...names(/^pub use (?:crate::|self::)?(\w{1,160})/gm)]);
  };
  return (module) => {
    const reading = known.get(module) ?? readModules(module);
    known.set(module, reading);
    return reading;
  };
}

/** Returns the folder with the source of the crate, such as "src/". */
function rootOf(path: string): string | null {
  return /^((?:[^/]{1,100}\/){0,12}?src\/)(?!bin\/|main\.rs$).{1,300}\.rs$/.exec(path)?.[1] ?? null;
}
