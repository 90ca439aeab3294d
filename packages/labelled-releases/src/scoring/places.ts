import type { VerdictPlaces } from "./verdict.ts";

/** The places in the text `where` of a label: a commit, or names of files, folders and dependencies. */
export interface LabelPlaces {
  readonly commit: string | null;
  readonly names: readonly string[];
}

/** Reads the places of a label. A part of the text that is neither one word nor a word with a version, such as "build files", names no place. */
export function placesOf(where: string): LabelPlaces {
  const [, commit] = /^commit ([0-9a-f]{7,40})$/.exec(where) ?? [];
  if (commit !== undefined) return { commit, names: [] };
  const names = where.split(",").flatMap((part) => {
    const [, name] = /^(\S+)(?: [v^~<>=]*\d\S*)?$/.exec(part.trim()) ?? [];
    return name === undefined ? [] : [name.toLowerCase()];
  });
  return { commit: null, names };
}

/** The finding of a label, as far as it says what it is about. */
export interface LabelledPlace {
  readonly where: string;
  readonly says: string;
}

/**
 * Returns true if a finding may be about the same thing as a label's: both name one advisory, or their places do not contradict each other. A finding that
 * names only advisories is about these and nothing else, so it must not stand for every fix of the release.
 */
export function agree({ where, says }: LabelledPlace, finding: VerdictPlaces): boolean {
  const { commits, files, dependencies, advisories = [] } = finding;
  const named = new Set(says.toUpperCase().match(ADVISORY));
  if (advisories.some((id) => named.has(id.toUpperCase()))) return true;
  // Without a commit, the finding is about these advisories and the dependency that it names, so a fix in the code is another one.
  if (advisories.length > 0 && commits.length === 0) return namesOne(placesOf(where), [...files, ...dependencies]);
  return !contradict(placesOf(where), finding);
}

const ADVISORY = /\b(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9A-Z]{4}){3}|PYSEC-\d{4}-\d{1,6}|RUSTSEC-\d{4}-\d{4}|GO-\d{4}-\d{4,5})\b/g;

/**
 * Returns true if both name a place of the same sort, but not the same place. Commits are one sort. Files, folders and dependencies are the other one,
 * because a label does not say which of them a name is. Places of different sorts cannot be compared, so they do not contradict each other.
 */
export function contradict(label: LabelPlaces, finding: VerdictPlaces): boolean {
  if (label.commit !== null) return finding.commits.length > 0 && !finding.commits.some((commit) => sameCommit(commit, label.commit ?? ""));
  const named = [...finding.files, ...finding.dependencies];
  if (label.names.length === 0 || named.length === 0) return false;
  return !namesOne(label, named);
}

function namesOne({ names }: LabelPlaces, places: readonly string[]): boolean {
  return names.some((name) => places.some((place) => samePlace(name, place.toLowerCase())));
}

function sameCommit(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  return length >= 7 && a.slice(0, length) === b.slice(0, length);
}

/** Returns true if the segments of one path occur in a row in the other: a file in a folder, a path without its first folders, or chi in go-chi/chi/v5. */
function samePlace(a: string, b: string): boolean {
  return `/${a}/`.includes(`/${b}/`) || `/${b}/`.includes(`/${a}/`);
}
