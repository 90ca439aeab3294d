/**
 * Returns the name that the person probably meant. That name differs from the written text by a few letters, or contains the written words. Returns
 * null if no name is similar.
 */
export function nearName(written: string, names: readonly string[]): string | null {
  const asked = snakeCase(written);
  const byDistance = names
    .map((name) => ({ name, distance: distance(asked, name) }))
    .filter((near) => near.distance <= Math.min(3, Math.max(1, Math.floor(near.name.length / 4))))
    .toSorted((a, b) => a.distance - b.distance);
  return byDistance[0]?.name ?? names.find((name) => isPartOf(asked, name)) ?? null;
}

/** Converts `getReleaseSummary` and `get-release-summary` to the form of tool names, `get_release_summary`. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

/** Returns true for two or more words of a name, in any order. */
function isPartOf(asked: string, name: string): boolean {
  const words = asked.split("_").filter(Boolean);
  return words.length > 1 && words.every((word) => name.split("_").includes(word));
}

// The maximum length of a compared name. No tool has a longer name, so comparing longer names would only cost time.
const MAX_CHARS = 64;

/** Returns the number of changes that turn one word into the other. A change adds, drops or replaces a letter, or swaps two neighbours. */
function distance(a: string, b: string): number {
  if (a.length > MAX_CHARS || b.length > MAX_CHARS) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, n) => n)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const steps = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1), ...(swapped ? [at(i - 2, j - 2) + 1] : [])];
      rows[i]?.push(Math.min(...steps));
    }
  }
  return at(a.length, b.length);
}
