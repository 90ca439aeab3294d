import { type PackageName, packageIn } from "./advisories/package-names.ts";
import { kindOfPath } from "./file-kind.ts";
import type { Git } from "./git-command.ts";
import { manifestsAt, readNearest } from "./manifests-at.ts";
import { readManifest } from "./manifest.ts";
import type { ReleaseRange } from "./release-range.ts";

/** A package of a repository, with the version that its manifest gives it. */
export interface WorkspacePackage extends PackageName {
  /** Null if the manifest has none. */
  readonly version: string | null;
}

/**
 * Returns the packages that the manifests of a repository name at a commit, those of tests and examples left out. A crate may take its version from the
 * workspace, which is the manifest in the root.
 */
async function workspacePackages(git: Git, commit: string): Promise<readonly WorkspacePackage[]> {
  const places = (await manifestsAt(git, commit)).filter(({ path }) => kindOfPath(path) === "manifest");
  const manifests = await readNearest(git, places);
  const root = manifests.find(({ path }) => path === "Cargo.toml");
  const shared = root ? readManifest(root.path, root.text).version : null;
  return manifests.flatMap(({ path, text }) => {
    const about = packageIn(path, text);
    if (!about) return [];
    const inherits = path.endsWith("Cargo.toml") && INHERITED.test(text);
    return [{ ...about, version: inherits ? shared : readManifest(path, text).version }];
  });
}

const INHERITED =
  /^version(?:\.workspace[ \t]{0,10}=[ \t]{0,10}true|[ \t]{0,10}=[ \t]{0,10}\{[ \t]{0,10}workspace[ \t]{0,10}=[ \t]{0,10}true)/m;

/** The packages of a repository at both ends of a release. */
export interface WorkspaceEnds {
  readonly before: readonly WorkspacePackage[];
  readonly after: readonly WorkspacePackage[];
}

/** Returns the packages at both ends of a release, which several parts of its facts need. */
export async function workspaceEnds(git: Git, { base, head }: ReleaseRange): Promise<WorkspaceEnds> {
  return { before: await workspacePackages(git, base.id), after: await workspacePackages(git, head.id) };
}
