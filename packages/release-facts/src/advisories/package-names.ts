import { readFileAt } from "../blob-reader.ts";
import type { Git } from "../git-command.ts";

/** A package as advisories name it. */
export interface PackageName {
  /** The ecosystem of the OSV format, such as npm or PyPI. */
  readonly ecosystem: string;
  readonly name: string;
}

const MANIFESTS: readonly (readonly [file: string, ecosystem: string, nameIn: (text: string) => string | undefined])[] = [
  ["package.json", "npm", nameInJson],
  ["composer.json", "Packagist", nameInJson],
  ["Cargo.toml", "crates.io", (text) => nameInSection(text, "package")],
  ["pyproject.toml", "PyPI", (text) => nameInSection(text, "project", "tool.poetry")],
  ["setup.cfg", "PyPI", (text) => nameInSection(text, "metadata")],
  ["setup.py", "PyPI", (text) => /\bname\s*=\s*["']([\w.-]{1,200})["']/.exec(text)?.[1]],
  ["go.mod", "Go", (text) => /^module\s+"?([^\s"]{1,200})/m.exec(text)?.[1]],
];

/** Returns the names that the manifests of a package give it at a commit. */
export async function packageNames(git: Git, commit: string, directory: string | null): Promise<readonly PackageName[]> {
  const found: PackageName[] = [];
  for (const [file, ecosystem, nameIn] of MANIFESTS) {
    const text = await readFileAt(git, commit, directory === null ? file : `${directory}/${file}`);
    const name = text === undefined ? undefined : nameIn(text);
    if (name !== undefined) found.push({ ecosystem, name });
  }
  return found;
}

/** Returns the name that a manifest gives to its package, or undefined if it gives none. */
export function nameIn(path: string, text: string): string | undefined {
  return packageIn(path, text)?.name;
}

/** Returns the package that a manifest names, or null if it names none. */
export function packageIn(path: string, text: string): PackageName | null {
  const file = path.slice(path.lastIndexOf("/") + 1);
  const [, ecosystem, read] = MANIFESTS.find(([manifest]) => manifest === file) ?? [];
  const name = read?.(text);
  return ecosystem === undefined || name === undefined ? null : { ecosystem, name };
}

/** Returns true if both name one package. Python's index takes no account of case and of the kind of dash. */
export function isSamePackage(a: PackageName, b: PackageName): boolean {
  return keyOfPackage(a) === keyOfPackage(b);
}

/** Returns a text that is equal for two names of one package. */
export function keyOfPackage(of: PackageName): string {
  const ecosystem = ecosystemOf(of);
  return `${ecosystem} ${normalized(of.name, ecosystem)}`;
}

// An ecosystem may have a suffix, such as "Debian:11".
function ecosystemOf({ ecosystem }: PackageName): string {
  return (ecosystem.split(":", 1)[0] ?? "").toLowerCase();
}

function normalized(name: string, ecosystem: string): string {
  return ecosystem === "pypi" ? name.toLowerCase().replaceAll(/[-_.]+/g, "-") : name;
}

function nameInJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    const name: unknown = typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
    return typeof name === "string" && name !== "" ? name.slice(0, 214) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the name in one of these sections of a TOML file, or of a file with the same form of sections. */
function nameInSection(text: string, ...sections: readonly string[]): string | undefined {
  let section = "";
  for (const line of text.split("\n").slice(0, 20_000)) {
    section = /^\[([^[\]]{1,100})\]\s*(?:#.*)?$/.exec(line)?.[1]?.trim() ?? (line.startsWith("[") ? "" : section);
    const [, name] = /^name\s*=\s*["']?([\w.-]{1,200})["']?\s*(?:#.*)?$/.exec(line) ?? [];
    if (name !== undefined && sections.includes(section)) return name;
  }
  return undefined;
}
