import path from "node:path";
import { LARGEST_MEASUREMENTS, type ReleaseMeasurements } from "@toolbus/contracts";
import type { TestResults } from "@toolbus/release-facts/measurements";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { bytesOf, fitTests } from "./fit-tests.ts";

/** The files with what was measured of a release, as typed. */
export interface MeasurementsOptions {
  readonly repo?: string;
  readonly junit?: string;
  readonly ci?: string;
  readonly metrics?: string;
}

/**
 * Reads the test results and the metrics that the person handed in, or returns null if no file is named. They are bounded, and a note says how many
 * failed tests they do not name. Throws a Failure if a file cannot be read.
 */
export async function readMeasurements(
  { around: { cwd }, output }: Pick<Context, "around" | "output">,
  { repo, junit, ci, metrics }: MeasurementsOptions,
): Promise<ReleaseMeasurements | null> {
  const typed = Object.entries({ "--junit": junit, "--ci": ci, "--metrics": metrics }).flatMap(([option, file]) =>
    file === undefined ? [] : [{ option, file }],
  );
  const [one] = typed;
  if (one === undefined) return null;
  if (repo === undefined) throw refused(`${one.option} needs a repository: add --repo with its folder.`);
  // An empty text would name the current folder, and often comes from a variable that is not set.
  const empty = typed.find(({ file }) => file === "");
  if (empty) throw refused(`${empty.option} is empty: name a file.`);
  if (junit !== undefined && ci !== undefined)
    throw refused("--junit and --ci both give test results, and one test could be in both: leave one of them out.");
  const { readMetrics } = await import("@toolbus/release-facts/measurements");
  const deployed = metrics === undefined ? null : await readMetrics(path.resolve(cwd, metrics));
  if (deployed?.ok === false) throw refused(`--metrics: ${deployed.message}`);
  const figures = deployed === null ? {} : { deployment_metrics: deployed.metrics };
  const results = await testResults(cwd, { junit, ci });
  if (results === null) return figures;
  const tests = fitTests(results, LARGEST_MEASUREMENTS - bytesOf(figures) - '"tests":,'.length);
  const named = tests.failures.length;
  if (named < results.failed)
    output.note(`The evidence names the first ${named} of ${results.failed} failed tests, and counts the others.`);
  return { tests, ...figures };
}

async function testResults(
  cwd: string,
  { junit, ci }: { readonly junit: string | undefined; readonly ci: string | undefined },
): Promise<TestResults | null> {
  const { readCiResults, readJunit } = await import("@toolbus/release-facts/measurements");
  if (junit !== undefined) {
    const read = await readJunit(path.resolve(cwd, junit));
    if (!read.ok) throw refused(`--junit: ${read.message}`);
    return read.tests;
  }
  if (ci === undefined) return null;
  const read = await readCiResults(path.resolve(cwd, ci));
  if (!read.ok) throw refused(`--ci: ${read.message}`);
  // A job says nothing about single tests, so no rule judges jobs. A report must not look as if it had.
  if (read.kind === "jobs")
    throw refused(
      `--ci names ${ci}, which has jobs and no tests: give the test report of a GitLab pipeline, or a JUnit file with --junit.`,
    );
  return read.tests;
}

const refused = (message: string): Failure => new Failure(EXIT.usage, message);
