import { readJsonManifest } from "./json-manifest.ts";
import type { DependencyUse, ManifestDraft } from "./manifest-draft.ts";
import { readTextManifest } from "./text-manifest.ts";
import { readTomlManifest } from "./toml-manifest.ts";

/** What a manifest requires. The key of a dependency is its use and its name. */
export interface Manifest {
  readonly dependencies: ReadonlyMap<string, { readonly name: string; readonly use: DependencyUse; readonly requirement: string }>;
  /** Minimum versions of languages and run times, such as node, go or python. */
  readonly requirements: ReadonlyMap<string, string>;
  readonly version: string | null;
}

const MOST_ENTRIES = 3000;

/** Reads a manifest. A manifest that cannot be read has no entries, because a fixture may be broken on purpose. */
export function readManifest(path: string, content: string): Manifest {
  const dependencies = new Map<string, { name: string; use: DependencyUse; requirement: string }>();
  const requirements = new Map<string, string>();
  let version: string | null = null;
  const draft: ManifestDraft = {
    depend(use, name, requirement) {
      if (dependencies.size < MOST_ENTRIES && name !== "") dependencies.set(`${use} ${name}`, { use, name, requirement });
    },
    require: (name, requirement) => void requirements.set(name, requirement),
    version(text) {
      version ??= text;
    },
  };
  const file = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (file === "package.json" || file === "composer.json") readJsonManifest(file, content, draft);
  else if (file.endsWith(".toml")) readTomlManifest(content, draft);
  else readTextManifest(file, content, draft);
  return { dependencies, requirements, version };
}
