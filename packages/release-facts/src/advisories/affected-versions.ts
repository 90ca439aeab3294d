import type { AffectedPackage, AffectedRange } from "./osv.ts";
import { compareVersions } from "./version-order.ts";

/**
 * Returns true if the version is one of the affected ones, by the list of versions or by a range of versions. Returns null if the entry has neither for
 * versions, as one that only has commits.
 */
export function isAffected({ versions = [], ranges = [] }: AffectedPackage, version: string): boolean | null {
  const ordered = ranges.filter(({ type }) => type === "SEMVER" || type === "ECOSYSTEM");
  if (versions.length === 0 && ordered.length === 0) return null;
  return versions.some((each) => compareVersions(each, version) === 0) || ordered.some((range) => isWithin(range, version));
}

/** Returns whether the version is one at which a range of the entry ends, so that it is the first one of its series with the fix. */
export function isFirstFixed({ ranges = [] }: AffectedPackage, version: string): boolean {
  return ranges
    .filter(({ type }) => type === "SEMVER" || type === "ECOSYSTEM")
    .some(({ events }) => events.some(({ fixed }) => fixed !== undefined && compareVersions(fixed, version) === 0));
}

/** Returns the first version after `base`, and not after `head`, in which the entry is fixed. */
export function fixedBetween({ ranges = [] }: AffectedPackage, base: string, head: string): string | null {
  const fixed = ranges
    .filter(({ type }) => type === "SEMVER" || type === "ECOSYSTEM")
    .flatMap(({ events }) => events.flatMap((event) => event.fixed ?? []))
    .filter((version) => isAfter(version, base) && !isAfter(version, head));
  return fixed.toSorted((a, b) => compareVersions(a, b) ?? 0)[0] ?? null;
}

function isAfter(a: string, b: string): boolean {
  return (compareVersions(a, b) ?? 0) > 0;
}

/** The events of a range say at which versions it begins and ends. The last event that the version has reached decides. */
function isWithin({ events }: AffectedRange, version: string): boolean {
  const points = events.flatMap(({ introduced, fixed, last_affected: last }) => [
    ...(introduced === undefined ? [] : [{ at: introduced, begins: true, isLast: false }]),
    ...(fixed === undefined ? [] : [{ at: fixed, begins: false, isLast: false }]),
    ...(last === undefined ? [] : [{ at: last, begins: false, isLast: true }]),
  ]);
  const ordered = points.toSorted((a, b) => (a.at === "0" ? -1 : b.at === "0" ? 1 : (compareVersions(a.at, b.at) ?? 0)));
  let within = false;
  for (const { at, begins, isLast } of ordered) {
    const difference = at === "0" ? 1 : compareVersions(version, at);
    if (difference === null) return false;
    if (isLast ? difference > 0 : difference >= 0) within = begins;
  }
  return within;
}
