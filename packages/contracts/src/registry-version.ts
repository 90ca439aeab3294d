import { createHash } from "node:crypto";

/** The input to the version of a registry. */
export interface VersionedEntry {
  readonly name: string;
  readonly version: string;
  /** Of the whole definition. */
  readonly hash: string;
}

/**
 * Names the state of a registry: 16 hex digits of SHA-256 over every `name@version hash`, in alphabetical order. It changes with every
 * definition that is added, removed or changed in any field, and with nothing else; two registries that hold the same have the same.
 */
export function registryVersion(entries: readonly VersionedEntry[]): string {
  const lines = entries.map(({ name, version, hash }) => `${name}@${version} ${hash}`).toSorted();
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
}
