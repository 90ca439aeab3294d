/** One test case. A test that did not run is skipped. */
export interface TestCase {
  readonly status: "failed" | "skipped" | "passed";
  readonly suite: string;
  readonly name: string;
  readonly file?: string;
  readonly seconds?: number;
  readonly message?: string;
}

/** The cases that are kept in memory. Counts are those of all cases. */
export const MOST_CASES = 20_000;

const ORDER = ["failed", "skipped", "passed"];

/** Returns the cases that matter most first: failures, then what was skipped, then the slowest. */
export function casesInOrder(cases: readonly TestCase[]): readonly TestCase[] {
  return cases
    .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || (b.seconds ?? 0) - (a.seconds ?? 0))
    .slice(0, MOST_CASES);
}
