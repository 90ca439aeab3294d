import { parseTouched } from "./commit-log.ts";
import { isFix } from "./commit-message.ts";
import type { Git } from "./git-command.ts";

/** How often the commits before a release fixed each file. */
export interface FixHistory {
  readonly commits: number;
  readonly fixes: number;
  /** The number of fixes for each path. */
  readonly byPath: ReadonlyMap<string, number>;
}

const MOST_COMMITS = 400;
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Counts, for the 400 newest commits before `base` that are at most a year older than it, how many fixes touched each path. */
export async function readFixHistory(git: Git, base: string, baseDate: string, directory: string | null): Promise<FixHistory> {
  const since = Date.parse(baseDate) - YEAR_MS;
  const range = [base, "--", ...(directory === null ? [] : [directory])];
  const log = ["log", `--max-count=${MOST_COMMITS}`, "--no-color", "--no-notes", "--no-merges", "--topo-order"];
  const subjects = (await git.run([...log, "-z", "--format=tformat:%H%x00%ct%x00%s", ...range])).toString("utf8").split("\0");
  const touched = parseTouched(
    (await git.run([...log, "--name-only", "--no-renames", "--format=tformat:%x01%H", ...range])).toString("utf8"),
  );
  const byPath = new Map<string, number>();
  let commits = 0;
  let fixes = 0;
  for (let at = 0; at + 2 < subjects.length; at += 3) {
    const [hash = "", seconds = "", subject = ""] = subjects.slice(at, at + 3);
    if (Number(seconds) * 1000 < since) continue;
    commits++;
    if (!isFix(subject)) continue;
    fixes++;
    for (const path of new Set(touched.get(hash))) byPath.set(path, (byPath.get(path) ?? 0) + 1);
  }
  return { commits, fixes, byPath };
}
