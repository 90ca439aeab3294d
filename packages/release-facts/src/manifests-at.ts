import { readBlobs } from "./blob-reader.ts";
import { filesAt } from "./files-at.ts";
import type { Git } from "./git-command.ts";

/** A manifest of a repository at a commit, by its place. */
export interface ManifestPlace {
  readonly id: string;
  readonly path: string;
}

const MOST_MANIFESTS = 500;

/** Returns where the manifests of packages are at a commit, wherever they lie. */
export async function manifestsAt(git: Git, commit: string): Promise<readonly ManifestPlace[]> {
  return [...(await filesAt(git, commit))].flatMap(([path, id]) => (MANIFEST.test(path) ? [{ id, path }] : []));
}

const MANIFEST = /(?:^|\/)(?:package\.json|Cargo\.toml|pyproject\.toml|go\.mod)$/;

/** Reads the manifests that are nearest to the root, at most 500, in this order. A package's own fixtures may have a manifest with its name, and come later. */
export async function readNearest(
  git: Git,
  places: readonly ManifestPlace[],
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const near = places.toSorted((a, b) => depth(a.path) - depth(b.path)).slice(0, MOST_MANIFESTS);
  const texts = await readBlobs(
    git,
    near.map(({ id }) => id),
  );
  return near.map(({ id, path }) => ({ path, text: texts.get(id) ?? "" }));
}

function depth(path: string): number {
  return path.split("/").length;
}
