import type { ChangedFile } from "./changed-files.ts";
import { compare, line } from "./clean-text.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { DependencyChange, RequirementChange } from "./release-facts.ts";
import { firstVersionIn, stepOf } from "./version-step.ts";

const NOTHING: Manifest = { dependencies: new Map(), requirements: new Map(), version: null };

/** Compares the manifests of both ends. A manifest that is new or was deleted counts as one that was empty before or is empty now. */
export function dependencyChanges(
  files: readonly ChangedFile[],
  texts: ReadonlyMap<string, string>,
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
        step: stepOf(firstVersionIn(old?.requirement ?? ""), firstVersionIn(now?.requirement ?? "")),
        use: known.use,
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
    dependencies: dependencies.toSorted(
      (a, b) => order[a.use] - order[b.use] || compare(a.manifest, b.manifest) || compare(a.name, b.name),
    ),
    requirements: requirements.toSorted((a, b) => compare(a.manifest, b.manifest) || compare(a.name, b.name)),
  };
}

function manifestOf(path: string, text: string | undefined): Manifest {
  return text === undefined ? NOTHING : readManifest(path, text);
}

function keysOf(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])];
}
