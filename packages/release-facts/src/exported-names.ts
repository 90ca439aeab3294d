import { cargoFeatures } from "./cargo-features.ts";
import { goExports } from "./go-exports.ts";
import { rustExports } from "./rust-exports.ts";
import { scriptExports } from "./script-exports.ts";
import { pythonExports } from "./python-exports.ts";

/** The names that a file offers to other code. The value of a name identifies its signature. It is "" if the language has no signature here. */
export type ExportedNames = ReadonlyMap<string, string>;

/** Returns the exported names of a file, or null if its language is not known here. */
export function exportsOf(path: string, content: string): ExportedNames | null {
  if (/\.[cm]?[jt]sx?$/.test(path)) return scriptExports(content);
  if (path.endsWith(".py")) return pythonExports(path, content);
  if (path.endsWith(".go")) return goExports(path, content);
  if (path.endsWith(".rs")) return rustExports(content);
  if (isCrate(path)) return cargoFeatures(content);
  return null;
}

/** Returns whether the language of a file is known here. */
export function hasExports(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|py|go|rs)$/.test(path) || isCrate(path);
}

/** Returns true for the manifest of a crate, which has the features that users of a Rust library can turn on. */
export function isCrate(path: string): boolean {
  return /(?:^|\/)Cargo\.toml$/.test(path);
}
