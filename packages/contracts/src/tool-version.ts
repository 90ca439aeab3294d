import type { ToolDefinition } from "./tool-definition.ts";

/**
 * Compares two versions for `sort`. Returns a negative number if `a` is older. Numbers compare as numbers, and separators have no effect. So "2" is
 * before "10", "1.9" before "1.10" and "v2" before "v3". A version with a word after the same beginning is older, so "2.0.0-rc1" is before "2.0.0"
 * and "2.0.1".
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = compareParts(left[i], right[i]);
    if (order !== 0) return order;
  }
  // Both versions compare as equal, but `sort` needs a fixed order.
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the version for a caller that names none. It is the newest version by `compareVersions`. A deprecated version is returned only if there is
 * no other. The order of registration does not matter, so a restart of a worker changes no caller's version.
 */
export function preferredVersion<T>(candidates: readonly T[], definitionOf: (candidate: T) => ToolDefinition): T | undefined {
  return candidates.toSorted((a, b) => compareForUse(definitionOf(a), definitionOf(b))).at(-1);
}

function compareForUse(a: ToolDefinition, b: ToolDefinition): number {
  return Number(a.deprecated === undefined) - Number(b.deprecated === undefined) || compareVersions(a.version, b.version);
}

function partsOf(version: string): readonly string[] {
  return version.replace(/^v(?=\d)/i, "").match(/\d+|[A-Za-z]+/g) ?? [];
}

/** Compares two parts. A word is older than the end of the version, and the end is older than a number. */
function compareParts(a: string | undefined, b: string | undefined): number {
  const byKind = rank(a) - rank(b);
  if (byKind !== 0 || a === undefined || b === undefined) return byKind;
  if (rank(a) === NUMBER) {
    const [left, right] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
    if (left.length !== right.length) return left.length - right.length;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

const NUMBER = 2;

function rank(part: string | undefined): number {
  if (part === undefined) return 1;
  return /^\d/.test(part) ? NUMBER : 0;
}
