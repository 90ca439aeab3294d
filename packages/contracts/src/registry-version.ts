import { createHash } from "node:crypto";

/** One tool of the registry whose version is computed. */
export interface VersionedEntry {
  readonly name: string;
  readonly version: string;
  /** The hash of the whole definition. */
  readonly hash: string;
}

/**
 * Returns the version of a registry: 16 hex digits of the SHA-256 over every `name@version hash`, in alphabetical order. It changes only if a
 * definition is added, removed or changed in any field. Two registries with the same definitions have the same version.
 */
export function registryVersion(entries: readonly VersionedEntry[]): string {
  const lines = entries.map(({ name, version, hash }) => `${name}@${version} ${hash}`).toSorted();
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
}
