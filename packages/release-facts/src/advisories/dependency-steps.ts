import { compare } from "../clean-text.ts";
import type { DependencyChange } from "../release-facts.ts";
import { keyOfPackage, type PackageName } from "./package-names.ts";
import { requiredVersion } from "./required-version.ts";

/** The step of a dependency from one version to another one, with which advisories can be compared. */
export interface DependencyStep extends PackageName {
  readonly manifest: string;
  readonly use: "runtime" | "peer" | "optional";
  /** Null if the dependency is new. */
  readonly from: string | null;
  readonly to: string;
  /** Both versions are the only ones that the manifest allows. Otherwise they are the lowest ones. */
  readonly exact: boolean;
}

const ECOSYSTEMS: readonly (readonly [file: RegExp, ecosystem: string])[] = [
  [/^package\.json$/, "npm"],
  [/^composer\.json$/, "Packagist"],
  [/^cargo\.toml$/, "crates.io"],
  [/^(?:pyproject\.toml|setup\.cfg|setup\.py|.*\.txt)$/, "PyPI"],
  [/^go\.mod$/, "Go"],
  [/^(?:gemfile|.*\.gemspec)$/, "RubyGems"],
  [/^pom\.xml$/, "Maven"],
];

/**
 * Returns the steps of a release's dependencies whose versions are sure, each once. Dependencies for development are left out, and so is one that is gone.
 * A dependency that is new counts only with an exact version, and a step between an exact version and a range counts as one between two ranges. `more`
 * are steps that no manifest lists.
 */
export function dependencySteps(
  dependencies: readonly DependencyChange[],
  more: readonly DependencyStep[] = [],
): readonly DependencyStep[] {
  const found = new Map<string, DependencyStep>();
  const add = (step: DependencyStep): void => {
    const key = `${keyOfPackage(step)} ${step.from ?? ""} ${step.to}`;
    if (!found.has(key)) found.set(key, step);
  };
  for (const { manifest, name, from, to, use } of dependencies) {
    const ecosystem = ecosystemOf(manifest);
    if (ecosystem === undefined || use === "dev" || to === null) continue;
    const after = requiredVersion(to, ecosystem);
    const before = from === null ? null : requiredVersion(from, ecosystem);
    if (after === null || (from === null ? !after.exact : before === null)) continue;
    const exact = after.exact && before?.exact !== false;
    add({ ecosystem, manifest, name, use, from: before?.version ?? null, to: after.version, exact });
  }
  for (const step of more) add(step);
  const order = { runtime: 0, peer: 1, optional: 2 } as const;
  return [...found.values()].toSorted(
    (a, b) => order[a.use] - order[b.use] || compare(a.manifest, b.manifest) || compare(a.name, b.name) || compare(a.to, b.to),
  );
}

function ecosystemOf(manifest: string): string | undefined {
  const file = manifest.slice(manifest.lastIndexOf("/") + 1).toLowerCase();
  return ECOSYSTEMS.find(([pattern]) => pattern.test(file))?.[1];
}
