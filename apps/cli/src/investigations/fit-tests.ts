import type { ReleaseMeasurements } from "@toolbus/contracts";
import { line } from "@toolbus/release-facts";
import type { TestResults } from "@toolbus/release-facts/measurements";

export type FittingTests = NonNullable<ReleaseMeasurements["tests"]>;

/** The lengths of names and messages, each step shorter than the one before it. The rules read only names, so messages give way first. */
const STEPS = [
  { name: 300, message: 300 },
  { name: 300, message: 100 },
  { name: 300, message: 0 },
  { name: 120, message: 0 },
] as const;

/** Returns test results that take at most so many bytes as JSON. The counts stay those of all tests, and the failures are the first ones that fit. */
export function fitTests({ passed, failed, skipped, failures }: TestResults, most: number): FittingTests {
  const counts = { passed, failed, skipped };
  const at = ({ name, message }: (typeof STEPS)[number]): FittingTests => ({
    ...counts,
    failures: failures.map((failure) => ({
      name: line(failure.name, name),
      suite: line(failure.suite, name),
      ...(message > 0 && failure.message !== "" ? { message: line(failure.message, message) } : {}),
    })),
  });
  const [first, ...others] = STEPS;
  let tests = at(first);
  for (const step of others) {
    if (bytesOf(tests) <= most) return tests;
    tests = at(step);
  }
  while (tests.failures.length > 0 && bytesOf(tests) > most) tests = { ...counts, failures: tests.failures.slice(0, -1) };
  return tests;
}

/** Returns the bytes of a value as JSON. */
export function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
