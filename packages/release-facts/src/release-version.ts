import { readFileAt } from "./blob-reader.ts";
import { line } from "./clean-text.ts";
import type { Git } from "./git-command.ts";
import { readManifest } from "./manifest.ts";
import type { ReleaseFacts } from "./release-facts.ts";
import type { End, ReleaseRange } from "./release-range.ts";
import { firstVersionIn, mayBreak, stepOf, type Version, versionOf } from "./version-step.ts";

const MANIFESTS = ["package.json", "Cargo.toml", "pyproject.toml", "setup.cfg", "composer.json"] as const;

/** Returns the versions of both ends, from the names of the tags, or from a manifest of the package for an end that is no tag. */
export async function readVersions(git: Git, { base, head }: ReleaseRange, directory: string | null): Promise<ReleaseFacts["version"]> {
  const from = await versionAt(git, base, directory);
  const to = await versionAt(git, head, directory);
  const step = stepOf(from, to);
  return { from: from && line(from.text, 60), to: to && line(to.text, 60), step, mayBreak: mayBreak(step, from) };
}

async function versionAt(git: Git, end: End, directory: string | null): Promise<Version | null> {
  const tagged = end.isTag ? versionOf(end.ref) : null;
  if (tagged) return tagged;
  for (const name of MANIFESTS) {
    const path = directory === null ? name : `${directory}/${name}`;
    const content = await readFileAt(git, end.id, path);
    const version = content === undefined ? null : readManifest(path, content).version;
    if (version !== null) return firstVersionIn(version);
  }
  return null;
}
