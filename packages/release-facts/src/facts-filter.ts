import { pathPattern } from "./path-pattern.ts";
import type { CommitFacts, FileFacts, FileKind, ReleaseFacts } from "./release-facts.ts";

/** What facts are about. A fact must match each of the given filters. */
export interface FactsFilter {
  /** A folder, with everything in it. "." is what lies directly in the root. */
  readonly area?: string | undefined;
  /** A file, a folder, or a pattern as in CODEOWNERS. */
  readonly path?: string | undefined;
  readonly kind?: FileKind | undefined;
}

/**
 * Returns the facts whose lists have only what matches. The counts of omitted items are raised, and the totals stay those of the whole release. Facts
 * know a commit's folders only two levels deep, so a commit matches if it touches the folder of a file that matches.
 */
export function filteredFacts(facts: ReleaseFacts, filter: FactsFilter): ReleaseFacts {
  if (filter.area === undefined && filter.path === undefined && filter.kind === undefined) return facts;
  const matches = matcherOf(filter);
  const isOf = (...kinds: readonly FileKind[]) => filter.kind === undefined || kinds.includes(filter.kind);
  const files = facts.files.list.filter((file) => isOf(file.kind) && isFileIn(file, matches));
  const commits = facts.commits.list.filter((commit) => isCommitIn(commit, files, filter));
  const named = <T extends { readonly file: string }>(list: readonly T[]): T[] => list.filter(({ file }) => isOf("code") && matches(file));
  const dependencies = facts.dependencies.list.filter(({ manifest }) => isOf("manifest") && matches(manifest));
  const { removed, changed, added } = facts.exports;
  const names = { removed: named(removed), changed: named(changed), added: named(added) };
  const gone = removed.length + changed.length + added.length - names.removed.length - names.changed.length - names.added.length;
  return {
    ...facts,
    commits: { ...facts.commits, omitted: facts.commits.omitted + facts.commits.list.length - commits.length, list: commits },
    files: { ...facts.files, omitted: facts.files.omitted + facts.files.list.length - files.length, list: files },
    exports: { ...names, omitted: facts.exports.omitted + gone },
    dependencies: { omitted: facts.dependencies.omitted + facts.dependencies.list.length - dependencies.length, list: dependencies },
    requirements: facts.requirements.filter(({ manifest }) => isOf("manifest") && matches(manifest)),
  };
}

function matcherOf({ area, path }: FactsFilter): (path: string) => boolean {
  const pattern = path === undefined ? null : pathPattern(path);
  return (file) => (area === undefined || isIn(file, area)) && (pattern === null || pattern.matches(file));
}

function isIn(path: string, area: string): boolean {
  const folder = area.replace(/\/+$/, "");
  return folder === "." ? !path.includes("/") : path === folder || path.startsWith(`${folder}/`);
}

/** A renamed file is found by its earlier path too. */
function isFileIn({ path, from }: FileFacts, matches: (path: string) => boolean): boolean {
  return matches(path) || (from !== undefined && matches(from));
}

function isCommitIn({ areas = [], touches = [] }: CommitFacts, files: readonly FileFacts[], { area, path, kind }: FactsFilter): boolean {
  if (kind !== undefined && !touches.includes(kind)) return false;
  if (area === undefined && path === undefined) return true;
  if (area !== undefined && path === undefined && areas.some((own) => own === area || isIn(own, area))) return true;
  const folders = new Set(files.map(({ path: file }) => file.split("/").slice(0, -1).slice(0, 2).join("/") || "."));
  return areas.some((own) => folders.has(own));
}
