import { nameIn } from "./advisories/package-names.ts";
import type { Git } from "./git-command.ts";
import { manifestsAt, readNearest } from "./manifests-at.ts";
import { seriesOf, versionOf } from "./version-step.ts";

/** The package of a monorepo that a release is about. `directory` is null if no folder is known to contain it. */
export interface PackagePlace {
  readonly name: string;
  readonly directory: string | null;
}

/**
 * Returns the name of the package in a tag: `@scope/name` for `@scope/name@1.2.3`, `name` for `name-v1.2.3` and `name@1.2.3`, and `sub/dir` for
 * `sub/dir/v1.2.3`. Returns null for a tag that names no package, such as v1.2.3 or R_2_6_1.
 */
export function packageInTag(tag: string): string | null {
  if (!versionOf(tag)) return null;
  const name = seriesOf(tag).replace(/(?:[@/]|[-_])?v?$/, "");
  return name.length > 1 ? name : null;
}

/** Returns the folder of a package at a commit: a folder with this path, or the folder of the only manifest with this name. */
export async function directoryOf(git: Git, commit: string, name: string): Promise<string | null> {
  if (name.startsWith("-") || name.includes("\0")) return null;
  const manifests = await manifestsAt(git, commit);
  const byPath = manifests.find(({ path }) => folderOf(path) === name.replace(/\/+$/, ""));
  if (byPath) return folderOf(byPath.path);
  const near = await readNearest(git, manifests);
  const named = near.find(({ path, text }) => nameIn(path, text) === name);
  const folder = named ? folderOf(named.path) : null;
  // A package in the root is the whole repository.
  return folder === "" ? null : folder;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
