import { line } from "./clean-text.ts";
import type { KindedFile } from "./file-facts.ts";
import type { Git } from "./git-command.ts";
import { kindOfHunk } from "./hunk-kind.ts";
import type { PatchHunk } from "./patch-reader.ts";
import type { ReleaseRange } from "./release-range.ts";
import { seriesOf } from "./version-step.ts";

/** The hunks that change lines which the earlier release brought. A fix of such lines repairs that release. */
export interface FreshHunks {
  /** The tag before the earlier release. */
  readonly since: string;
  readonly byPath: ReadonlyMap<string, number>;
}

const MOST_FILES = 25;
const MOST_HUNKS = 60;
const TRIVIAL = new Set(["comment", "import", "version"]);

/**
 * Finds out, for each hunk, whether the commits of the earlier release wrote one of the lines that it replaces. If it only inserts, the lines around it
 * count. Returns null if the base has no earlier tag. Git looks only at the commits between both tags, so it is fast also for a long history.
 */
export async function readFreshHunks(
  git: Git,
  { base }: ReleaseRange,
  files: readonly KindedFile[],
  patch: ReadonlyMap<string, readonly PatchHunk[]>,
): Promise<FreshHunks | null> {
  const since = base.isTag ? await tagBefore(git, base.id, base.ref) : undefined;
  if (since === undefined) return null;
  const byPath = new Map<string, number>();
  for (const file of files.slice(0, MOST_FILES)) {
    if (file.oldId === "") continue;
    const hunks = (patch.get(`${file.oldId}..${file.newId}`) ?? []).filter((hunk) => !TRIVIAL.has(kindOfHunk(hunk))).slice(0, MOST_HUNKS);
    if (hunks.length === 0) continue;
    const fresh = await freshLines(git, since.id, base.id, file.from ?? file.path);
    const count = hunks.filter(({ replaces: [first, last] }) => fresh.some((at) => at >= first && at <= last)).length;
    if (count > 0) byPath.set(file.path, count);
  }
  return { since: line(since.name, 250), byPath };
}

/** Returns the tag of the same series before a commit, whose version is the nearest in the history. */
async function tagBefore(git: Git, commit: string, ref: string): Promise<{ readonly name: string; readonly id: string } | undefined> {
  const series = seriesOf(ref);
  // Brackets, stars and question marks in a tag's name would be a pattern, but git forbids them in names.
  const name = await git.ask(["describe", "--tags", "--abbrev=0", `--match=${series}[0-9]*`, `${commit}^`]);
  if (name === undefined || name === "" || name.startsWith("-") || seriesOf(name) !== series) return undefined;
  const id = await git.ask(["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/tags/${name}^{commit}`]);
  return id === undefined ? undefined : { name, id };
}

/** Returns the numbers of the lines of a file at `base` that commits after `since` wrote. */
async function freshLines(git: Git, since: string, base: string, path: string): Promise<readonly number[]> {
  // Lines that are older belong to the boundary, which git marks with "^".
  const output = await git.ask(["blame", "-s", "-l", "-n", `${since}..${base}`, "--", path]);
  return (output ?? "").split("\n").flatMap((text, index) => (text === "" || text.startsWith("^") ? [] : [index + 1]));
}
