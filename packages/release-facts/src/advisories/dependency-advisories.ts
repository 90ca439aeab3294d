import { compare, line } from "../clean-text.ts";
import type { DependencyAdvisories, DependencyAdvisory } from "../release-facts.ts";
import { isAffected, isFirstFixed } from "./affected-versions.ts";
import type { DependencyStep } from "./dependency-steps.ts";
import type { Advisory, AffectedPackage } from "./osv.ts";
import { isSamePackage, keyOfPackage } from "./package-names.ts";
import { sameAdvisories } from "./same-advisories.ts";

const MOST_FIXED = 5;
const MOST_BROUGHT = 3;

/**
 * Returns the steps of dependencies that leave or enter the affected versions of an advisory, the direct and most telling ones first. One vulnerability
 * often has an advisory in several databases. It counts once, by their aliases, and as fixed only if none of them says that the later version is affected.
 */
export function dependencyAdvisories(
  advisories: readonly Advisory[],
  steps: readonly DependencyStep[],
  most: number,
): DependencyAdvisories | undefined {
  const byPackage = advisoriesByPackage(advisories, steps);
  const found: (DependencyAdvisories["list"][number] & { readonly count: number })[] = [];
  for (const step of steps) {
    const groups = sameAdvisories(byPackage.get(keyOfPackage(step)) ?? []);
    const fixed: DependencyAdvisory[] = [];
    const brought: DependencyAdvisory[] = [];
    let firstFixed = false;
    for (const group of groups) {
      const before = step.from === null ? false : affects(group, step, step.from);
      const after = affects(group, step, step.to);
      if (before === true && after === false) {
        fixed.push(named(group));
        firstFixed ||= entriesOf(group, step).some((entry) => isFirstFixed(entry, step.to));
        // Who installs a range gets a newer version than the lowest one.
      } else if (before === false && after === true && step.exact) brought.push(named(group));
    }
    if (fixed.length + brought.length === 0) continue;
    const { manifest, name, use, from, to, exact } = step;
    found.push({
      manifest: line(manifest, 400),
      name: line(name, 200),
      use,
      from: from === null ? null : line(from, 100),
      to: line(to, 100),
      ...(exact ? {} : { lowest: true as const }),
      ...(firstFixed ? { firstFixed: true as const } : {}),
      ...(fixed.length > 0 ? { fixed: firstOf(fixed, MOST_FIXED) } : {}),
      ...(brought.length > 0 ? { brought: firstOf(brought, MOST_BROUGHT) } : {}),
      count: fixed.length + brought.length,
    });
  }
  if (found.length === 0) return undefined;
  const order = { runtime: 0, peer: 1, optional: 2 } as const;
  const sorted = found.toSorted((a, b) => order[a.use] - order[b.use] || b.count - a.count || compare(a.name, b.name));
  return { omitted: Math.max(0, found.length - most), list: sorted.slice(0, most).map(({ count: _, ...step }) => step) };
}

/** A list may be a whole database, so it is read once and not once for each step. */
function advisoriesByPackage(advisories: readonly Advisory[], steps: readonly DependencyStep[]): ReadonlyMap<string, readonly Advisory[]> {
  const wanted = new Map<string, Set<Advisory>>(steps.map((step) => [keyOfPackage(step), new Set()]));
  for (const advisory of advisories)
    for (const { package: about } of advisory.affected ?? []) if (about !== undefined) wanted.get(keyOfPackage(about))?.add(advisory);
  return new Map([...wanted].map(([key, list]) => [key, [...list]]));
}

/** Returns true if one of the advisories affects the version, false if none does, and null if none of them knows. */
function affects(group: readonly Advisory[], step: DependencyStep, version: string): boolean | null {
  const answers = entriesOf(group, step)
    .map((entry) => isAffected(entry, version))
    .filter((answer) => answer !== null);
  return answers.length === 0 ? null : answers.includes(true);
}

/** What the advisories say about the dependency itself. */
function entriesOf(group: readonly Advisory[], step: DependencyStep): readonly AffectedPackage[] {
  return group.flatMap(({ affected = [] }) => affected.filter(({ package: about }) => about !== undefined && isSamePackage(step, about)));
}

/** The id is the CVE, if the vulnerability has one, because most people know it by that. The day is the earliest one, on which it was known. */
function named(group: readonly Advisory[]): DependencyAdvisory {
  const ids = group.map((advisory) => advisory.id).toSorted(compare);
  const [cve] = group
    .flatMap(({ id, aliases = [] }) => [id, ...aliases].filter((name) => /^CVE-\d{4}-\d{4,7}$/.test(name)))
    .toSorted(compare);
  const id = cve ?? ids[0] ?? "";
  const days = group.flatMap(({ published }) => {
    const date = published === undefined ? Number.NaN : Date.parse(published);
    return Number.isNaN(date) ? [] : [new Date(date).toISOString().slice(0, 10)];
  });
  const [day] = days.toSorted(compare);
  return { id: line(id, 60), ...(day === undefined ? {} : { published: day }) };
}

function firstOf(list: readonly DependencyAdvisory[], most: number) {
  const sorted = list.toSorted((a, b) => compare(a.id, b.id));
  return { omitted: Math.max(0, list.length - most), list: sorted.slice(0, most) };
}
