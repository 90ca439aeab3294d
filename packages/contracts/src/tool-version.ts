import type { ToolDefinition } from "./tool-definition.ts";

/**
 * The order of versions, for `sort`: negative if `a` is older. Numbers in them compare as numbers and separators do not count, so "2" comes before "10",
 * "1.9" before "1.10" and "v2" before "v3"; a word after the same beginning comes first, so "2.0.0-rc1" before "2.0.0" before "2.0.1".
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = compareParts(left[i], right[i]);
    if (order !== 0) return order;
  }
  // Written differently but equivalent: any fixed order will do.
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The version for a caller that names none: the newest one by `compareVersions`, a deprecated one only if there is no other. The order of registration does
 * not matter, so a worker that is restarted, or rolled back, changes no caller's version.
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

/** A word comes before the end, the end before a number. */
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
