import type { AdvisorySource } from "./advisories/compare-advisories.ts";
import { type FactsLimits, type FactsOptions, readReleaseFacts } from "./read-release-facts.ts";
import type { RefusedFacts } from "./refused-facts.ts";
import type { ReleaseFacts } from "./release-facts.ts";

/** The largest compact facts of one release, in bytes of JSON. */
export const LARGEST_FACTS = 20 * 1024;

/**
 * Each next step lists fewer items than the step before it. Counts and totals stay those of the whole release. A commit says more about a release than the
 * lines of one more file, and takes a quarter of its bytes, so files and hunks give way first.
 */
const STEPS: readonly FactsLimits[] = [
  { commits: 300, files: 300, hunks: 40, names: 200 },
  { commits: 300, files: 120, hunks: 20, names: 100 },
  { commits: 300, files: 70, hunks: 12, names: 60 },
  { commits: 300, files: 50, hunks: 6, names: 40 },
  { commits: 200, files: 35, hunks: 4, names: 25 },
  { commits: 150, files: 25, hunks: 3, names: 20 },
  { commits: 120, files: 18, hunks: 2, names: 15 },
  { commits: 90, files: 15, hunks: 2, names: 12 },
  { commits: 70, files: 12, hunks: 2, names: 10 },
  { commits: 50, files: 12, hunks: 1, names: 8 },
  { commits: 30, files: 10, hunks: 1, names: 6 },
  { commits: 10, files: 10, hunks: 1, names: 6 },
];

/** From this step on, commits do not list their folders, because files do that. */
const SLIM_FROM = 4;

/**
 * Returns the facts of a release with as many items as fit into `most` bytes, and the same as JSON text of one line. The facts say how many items they leave
 * out. If not even the fewest items fit, returns these.
 */
export async function compactFacts({
  most = LARGEST_FACTS,
  ...options
}: Omit<FactsOptions, "limits"> & { readonly most?: number }): Promise<
  { readonly ok: true; readonly facts: ReleaseFacts; readonly text: string } | RefusedFacts
> {
  const advisories = typeof options.advisories === "function" ? readOnce(options.advisories) : options.advisories;
  const at = async (step: number) => {
    const outcome = await readReleaseFacts({ ...options, advisories, limits: STEPS[step] });
    if (!outcome.ok) return outcome;
    const facts = step < SLIM_FROM ? withoutPeople(outcome.facts) : withoutFolders(withoutPeople(outcome.facts));
    const text = `${JSON.stringify(facts)}\n`;
    return { ok: true as const, facts, text, fits: Buffer.byteLength(text) <= most };
  };
  let best = await at(0);
  if (!best.ok || best.fits) return best;
  // Each step is smaller than the one before it, so the first one that fits is found by halves. If none fits, the smallest is returned.
  let [low, high] = [1, STEPS.length - 1];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const found = await at(middle);
    if (!found.ok) return found;
    if (found.fits || middle === STEPS.length - 1) best = found;
    if (found.fits) high = middle - 1;
    else low = middle + 1;
  }
  return best;
}

/** The limits do not change what advisories can be about, so a whole database is read once. */
function readOnce(source: Exclude<AdvisorySource, readonly unknown[]>): typeof source {
  let read: ReturnType<typeof source> | undefined;
  return (about) => (read ??= source(about));
}

/** Returns the facts without the names of owners. A rule only needs to know that a path has owners, and how many. */
function withoutPeople(facts: ReleaseFacts): ReleaseFacts {
  return { ...facts, owners: facts.owners.map((rule) => ({ ...rule, owners: rule.owners.map((_, n) => `owner ${n + 1}`) })) };
}

function withoutFolders(facts: ReleaseFacts): ReleaseFacts {
  const list = facts.commits.list.map(({ areas: _, date, ...commit }) => ({ ...commit, date: date.slice(0, 10) }));
  return { ...facts, commits: { ...facts.commits, list } };
}
