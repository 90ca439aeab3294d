import { type PackageName, packageIn } from "./advisories/package-names.ts";
import { readBlobs } from "./blob-reader.ts";
import { kindOfPath } from "./file-kind.ts";
import type { Git } from "./git-command.ts";
import { readManifest } from "./manifest.ts";

/** A package of a repository, with the version that its manifest gives it. */
export interface WorkspacePackage extends PackageName {
  readonly manifest: string;
  /** Null if the manifest has none. */
  readonly version: string | null;
}

const MOST_MANIFESTS = 500;

/**
 * Returns the packages that the manifests of a repository name at a commit, those of tests and examples left out. A crate may take its version from the
 * workspace, which is the manifest in the root.
 */
export async function workspacePackages(git: Git, commit: string): Promise<readonly WorkspacePackage[]> {
  const tree = (await git.run(["ls-tree", "-r", "-z", "--full-tree", commit])).toString("utf8").split("\0");
  const manifests = tree
    .flatMap((entry) => {
      const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      return id !== undefined && path !== undefined && MANIFEST.test(path) && kindOfPath(path) === "manifest" ? [{ id, path }] : [];
    })
    .toSorted((a, b) => depth(a.path) - depth(b.path))
    .slice(0, MOST_MANIFESTS);
  const texts = await readBlobs(
    git,
    manifests.map(({ id }) => id),
  );
  const root = manifests.find(({ path }) => path === "Cargo.toml");
  const shared = root ? readManifest(root.path, texts.get(root.id) ?? "").version : null;
  return manifests.flatMap(({ id, path }) => {
    const text = texts.get(id) ?? "";
    const about = packageIn(path, text);
    if (!about) return [];
    const inherits = path.endsWith("Cargo.toml") && /^\s*version(?:\.workspace\s*=\s*true|\s*=\s*\{\s*workspace\s*=\s*true)/m.test(text);
    return [{ ...about, manifest: path, version: inherits ? shared : readManifest(path, text).version }];
  });
}

const MANIFEST = /(?:^|\/)(?:package\.json|Cargo\.toml|go\.mod)$/;

function depth(path: string): number {
  return path.split("/").length;
}
