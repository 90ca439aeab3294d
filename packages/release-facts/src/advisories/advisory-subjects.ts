import { hashesOf } from "./advisory-commits.ts";
import type { Advisory } from "./osv.ts";
import { keyOfPackage, type PackageName } from "./package-names.ts";

/** What the advisories of a release can be about. */
export interface AdvisorySubjects {
  /** The package of the release and its dependencies that move. */
  readonly names: readonly PackageName[];
  /** The hashes of the release's commits, whole or the first twelve characters. */
  readonly commits: readonly string[];
}

/** Returns a function that tells whether an advisory names one of the packages or one of the commits. A whole database has few that do. */
export function isAboutOneOf({ names, commits }: AdvisorySubjects): (advisory: Advisory) => boolean {
  const keys = new Set(names.map(keyOfPackage));
  // An advisory may shorten a hash to ten characters.
  const hashes = new Set(commits.map((hash) => hash.slice(0, 10)));
  return (advisory) =>
    (advisory.affected ?? []).some(({ package: about }) => about !== undefined && keys.has(keyOfPackage(about))) ||
    hashesOf(advisory).some((hash) => hashes.has(hash.toLowerCase().slice(0, 10)));
}
