import type { ChangedFile } from "./changed-files.ts";
import { compare, line } from "./clean-text.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { DependencyChange, RequirementChange } from "./release-facts.ts";
import { firstVersionIn, stepOf } from "./version-step.ts";

const NOTHING: Manifest = { dependencies: new Map(), requirements: new Map(), version: null };

/**
 * Compares the manifests of both ends. A manifest that is new or was deleted counts as one that was empty before or is empty now. What the manifests
 * in `aside` list is for development.
 */
export function dependencyChanges(
  files: readonly ChangedFile[],
  texts: ReadonlyMap<string, string>,
  aside: ReadonlySet<string>,
): { readonly dependencies: readonly DependencyChange[]; readonly requirements: readonly RequirementChange[] } {
  const dependencies: DependencyChange[] = [];
  const requirements: RequirementChange[] = [];
  for (const { path, from, oldId, newId } of files) {
    const before = manifestOf(from ?? path, texts.get(oldId));
    const after = manifestOf(path, texts.get(newId));
    const manifest = line(path, 400);
    for (const key of keysOf(before.dependencies, after.dependencies)) {
      const old = before.dependencies.get(key);
      const now = after.dependencies.get(key);
      const known = now ?? old;
      if (!known || old?.requirement === now?.requirement) continue;
      dependencies.push({
        manifest,
        name: line(known.name, 200),
        from: old ? line(old.requirement, 100) : null,
        to: now ? line(now.requirement, 100) : null,
        step: "unknown",
        use: aside.has(path) ? "dev" : known.use,
      });
    }
    for (const name of keysOf(before.requirements, after.requirements)) {
      const old = before.requirements.get(name);
      const now = after.requirements.get(name);
      if (old === now) continue;
      requirements.push({
        manifest,
        name: line(name, 60),
        from: old === undefined ? null : line(old, 100),
        to: now === undefined ? null : line(now, 100),
      });
    }
  }
  const order = { runtime: 0, peer: 1, optional: 2, dev: 3 } as const;
  return {
    dependencies: joined(dependencies, ({ use, name }) => `${use} ${name}`)
      .map((change) => ({ ...change, step: stepOf(firstVersionIn(change.from ?? ""), firstVersionIn(change.to ?? "")) }))
      .toSorted((a, b) => order[a.use] - order[b.use] || compare(a.manifest, b.manifest) || compare(a.name, b.name)),
    requirements: joined(requirements, ({ name }) => name).toSorted((a, b) => compare(a.manifest, b.manifest) || compare(a.name, b.name)),
  };
}

function manifestOf(path: string, text: string | undefined): Manifest {
  return text === undefined ? NOTHING : readManifest(path, text);
}

function keysOf(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])];
}

/**
 * Joins what moved from one manifest to another one of the same folder, such as from setup.cfg to pyproject.toml. If it only moved, it is no change.
 */
function joined<T extends { readonly manifest: string; readonly from: string | null; readonly to: string | null }>(
  changes: readonly T[],
  keyOf: (change: T) => string,
): readonly T[] {
  const placeOf = (change: T) => `${change.manifest.slice(0, change.manifest.lastIndexOf("/") + 1)} ${keyOf(change)}`;
  const gone = new Map(changes.filter(({ to }) => to === null).map((change) => [placeOf(change), change]));
  const come = new Map(changes.filter(({ from }) => from === null).map((change) => [placeOf(change), change]));
  return changes.flatMap((change) => {
    const place = placeOf(change);
    const before = gone.get(place);
    if (!before || !come.has(place)) return [change];
    if (change !== come.get(place) || change.to === before.from) return [];
    return [{ ...change, from: before.from }];
  });
}
