import type { Advisory, AffectedPackage } from "./osv.ts";

/** Returns the hashes of commits that an advisory names as its fix or in its references, as it writes them. */
export function hashesOf(advisory: Advisory): readonly string[] {
  return [...urlsOf(advisory).flatMap(hashIn), ...rangeCommits(advisory)];
}

/** Returns the numbers of the pull requests that an advisory refers to. */
export function numbersOf(advisory: Advisory): readonly string[] {
  return urlsOf(advisory).flatMap(numberIn);
}

/** Returns true if an address in an advisory may name a commit or a pull request. */
export function namesChange(url: string): boolean {
  return hashIn(url).length + numberIn(url).length > 0;
}

function urlsOf({ references = [] }: Advisory): readonly string[] {
  return [...new Set(references.map(({ url }) => url))];
}

function rangeCommits({ affected = [] }: Advisory): readonly string[] {
  const fixes = (entry: AffectedPackage): readonly string[] =>
    (entry.ranges ?? []).filter(({ type }) => type === "GIT").flatMap(({ events }) => events.flatMap((event) => event.fixed ?? []));
  return affected.flatMap(fixes).filter((hash) => /^[0-9a-f]{10,64}$/i.test(hash));
}

function hashIn(url: string): readonly string[] {
  const [, hash] = /\/commits?\/([0-9a-f]{10,64})(?:\.patch|\.diff)?(?:[/?#]|$)/i.exec(url) ?? [];
  return hash === undefined ? [] : [hash];
}

function numberIn(url: string): readonly string[] {
  const [, number] = /\/(?:pull|merge_requests)\/(\d{1,7})(?:[/?#]|$)/.exec(url) ?? [];
  return number === undefined ? [] : [number];
}
