import { parser } from "./parse.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
/** One printable line. The names of tests and their messages come from outside and are shown to people. */
const Line = Type.String({ maxLength: 300, pattern: "^[^\\u0000-\\u001f\\u007f]*$" });

const TestFailure = Type.Object({ name: Line, suite: Line, message: Type.Optional(Line) }, closed);

const TestResults = Type.Object(
  { passed: Count, failed: Count, skipped: Count, failures: Type.Array(TestFailure, { maxItems: 50 }) },
  { ...closed, description: "The counts of all tests, and the failed tests that fit. An error counts as a failure." },
);

const FIGURES = {
  error_rate: Type.Number({ minimum: 0, maximum: 1, description: "The share of requests that fail." }),
  response_time_p95: Type.Number({ minimum: 0, description: "The time in milliseconds within which 95 of 100 requests are answered." }),
};

const DeploymentMetrics = Type.Object(
  { ...FIGURES, baseline: Type.Optional(Type.Object(FIGURES, { ...closed, description: "The figures of the previous release." })) },
  closed,
);

/** The most bytes that the measurements of a release have as JSON. They share the limits of the run's input with the facts of its change. */
export const LARGEST_MEASUREMENTS = 4 * 1024;

/** What was measured of a release, in the forms of a release summary. Its repository does not have it, so the person who asks hands it in. */
export const ReleaseMeasurements = Type.Object(
  { tests: Type.Optional(TestResults), deployment_metrics: Type.Optional(DeploymentMetrics) },
  {
    ...closed,
    minProperties: 1,
    description: `The test results and deployment metrics of the release, in at most ${LARGEST_MEASUREMENTS} bytes. They are allowed only together with \`changes\`, and count instead of those of a release summary.`,
  },
);
export type ReleaseMeasurements = Static<typeof ReleaseMeasurements>;

/** Parses measurements that were stored as JSON. */
export const parseReleaseMeasurements = parser(ReleaseMeasurements);
