/** What a dependency is for. */
export type DependencyUse = "runtime" | "dev" | "peer" | "optional";

/** Collects what a reader of one format finds. */
export interface ManifestDraft {
  depend(use: DependencyUse, name: string, requirement: string): void;
  require(name: string, requirement: string): void;
  version(text: string): void;
}
