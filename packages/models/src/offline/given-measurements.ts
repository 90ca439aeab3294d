import { describeProblems, type Json, parseReleaseMeasurements } from "@toolbus/contracts";
import { cleanText } from "./clean-text.ts";
import { readReleaseFacts, type MetricFacts, type ReleaseFacts, type TestFacts } from "./release-facts.ts";

/** The measurements that the run's input contains. A part that nobody handed in is null. */
export interface GivenMeasurements {
  readonly tests: TestFacts | null;
  readonly metrics: MetricFacts | null;
  /** A sentence that says why the measurements of the input cannot be read. Null if they can, or if there are none. */
  readonly unknown: string | null;
}

export const NO_MEASUREMENTS: GivenMeasurements = { tests: null, metrics: null, unknown: null };

/** Returns the measurements of the run's input. They are data from outside, so they are parsed strictly. */
export function givenMeasurements(value: Json | undefined): GivenMeasurements {
  if (value === undefined) return NO_MEASUREMENTS;
  const parsed = parseReleaseMeasurements(value);
  if (!parsed.ok) {
    const problems = cleanText(describeProblems(parsed.problems), 200);
    return { ...NO_MEASUREMENTS, unknown: `Measurements: those of the request have a form that the rules cannot read (${problems}).` };
  }
  // They have the form of a summary's parts, so the same reader gives the same findings.
  const facts = readReleaseFacts(JSON.stringify(parsed.value));
  return { tests: facts?.tests ?? null, metrics: facts?.metrics ?? null, unknown: null };
}

/** Returns a summary with the measurements of the request in place of its own. The person who asks knows best what belongs to the release. */
export function withGiven(summary: ReleaseFacts, { tests, metrics }: GivenMeasurements): ReleaseFacts {
  const replaced = [...(tests ? ["tests"] : []), ...(metrics ? ["deployment_metrics"] : [])];
  return {
    ...summary,
    tests: tests ?? summary.tests,
    metrics: metrics ?? summary.metrics,
    unreadable: summary.unreadable.filter((part) => !replaced.includes(part)),
  };
}
