import { type FactsLimits, type FactsOptions, readReleaseFacts, type RefusedFacts, type ReleaseFacts } from "@toolbus/release-facts";

/** The largest stored facts of one release, in bytes. */
export const LARGEST_FACTS = 20 * 1024;

// Each next step lists about two thirds of the items of the step before it. Counts and totals stay those of the whole release.
const STEPS: readonly FactsLimits[] = [
  { commits: 300, files: 300, hunks: 40, names: 200 },
  { commits: 120, files: 120, hunks: 20, names: 100 },
  { commits: 80, files: 70, hunks: 12, names: 60 },
  { commits: 50, files: 50, hunks: 8, names: 40 },
  { commits: 35, files: 35, hunks: 6, names: 25 },
  { commits: 25, files: 25, hunks: 4, names: 15 },
  { commits: 15, files: 18, hunks: 3, names: 10 },
  { commits: 10, files: 10, hunks: 2, names: 6 },
];

/** Returns the facts of a release as JSON text of one line, with as many items as fit. */
export async function compactFacts(
  options: Omit<FactsOptions, "limits">,
): Promise<{ readonly ok: true; readonly text: string } | RefusedFacts> {
  let text = "";
  for (const limits of STEPS) {
    const outcome = await readReleaseFacts({ ...options, limits });
    if (!outcome.ok) return outcome;
    text = `${JSON.stringify(withoutPeople(outcome.facts))}\n`;
    if (Buffer.byteLength(text) <= LARGEST_FACTS) break;
  }
  return { ok: true, text };
}

/** Returns the facts without the names of owners. A rule only needs to know that a path has owners, and how many. */
function withoutPeople(facts: ReleaseFacts): ReleaseFacts {
  return { ...facts, owners: facts.owners.map((rule) => ({ ...rule, owners: rule.owners.map((_, n) => `owner ${n + 1}`) })) };
}
