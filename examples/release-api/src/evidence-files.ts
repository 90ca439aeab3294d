import { type Advisory, readAdvisories } from "@toolbus/release-facts";
import {
  type CiPipeline,
  type DeploymentMetrics,
  readCiResults,
  readCoverage,
  readJunit,
  readMetrics,
  type TestRun,
} from "@toolbus/release-facts/measurements";
import type { TestEvidence } from "./test-details.ts";
import { readTraces, type Traces } from "./traces.ts";

/** The files that belong to a release. Each is optional. */
export interface ReleaseFiles {
  /** A JUnit XML file with the test results of this release. */
  readonly junit?: string | undefined;
  /** The coverage of its tests, as Cobertura XML or lcov. */
  readonly coverage?: string | undefined;
  /** Exports of its CI results: GitHub's jobs of a run, or GitLab's jobs or test report of a pipeline. */
  readonly ci?: readonly string[] | undefined;
  /** A JSON file with the deployment metrics of this release. */
  readonly metrics?: string | undefined;
  /** Its traces, as OTLP/JSON. */
  readonly traces?: string | undefined;
  /** A file or a folder with security advisories, OSV as JSON. */
  readonly advisories?: string | undefined;
}

export interface ReadFiles {
  readonly tests: TestEvidence;
  readonly metrics: DeploymentMetrics | undefined;
  readonly traces: Traces | undefined;
  readonly advisories: readonly Advisory[] | undefined;
}

const MOST_CI_FILES = 20;

/** Returns whether a release has any file. */
export function hasFiles({ junit, coverage, ci = [], metrics, traces, advisories }: ReleaseFiles): boolean {
  return [junit, coverage, metrics, traces, advisories, ...ci].some((file) => file !== undefined);
}

/** Reads the files of a release. The first one that cannot be read is refused with one sentence, so that no part is missing unnoticed. */
export async function readReleaseFiles(
  files: ReleaseFiles,
): Promise<({ readonly ok: true } & ReadFiles) | { readonly ok: false; readonly message: string }> {
  const junit = files.junit === undefined ? undefined : await readJunit(files.junit);
  if (junit?.ok === false) return junit;
  const coverage = files.coverage === undefined ? undefined : await readCoverage(files.coverage);
  if (coverage?.ok === false) return coverage;
  const ci = await readCi(files.ci ?? [], junit && { tests: junit.tests, cases: junit.cases });
  if (!ci.ok) return ci;
  const metrics = files.metrics === undefined ? undefined : await readMetrics(files.metrics);
  if (metrics?.ok === false) return metrics;
  const traces = files.traces === undefined ? undefined : await readTraces(files.traces);
  if (traces?.ok === false) return traces;
  const advisories = files.advisories === undefined ? undefined : await readAdvisories(files.advisories);
  if (advisories?.ok === false) return advisories;
  return {
    ok: true,
    tests: { run: ci.run, coverage: coverage?.coverage, pipelines: ci.pipelines },
    metrics: metrics?.metrics,
    traces: traces?.traces,
    advisories: advisories?.advisories,
  };
}

async function readCi(
  files: readonly string[],
  junit: TestRun | undefined,
): Promise<
  | { readonly ok: true; readonly run: TestRun | undefined; readonly pipelines: readonly CiPipeline[] }
  | { readonly ok: false; readonly message: string }
> {
  if (files.length > MOST_CI_FILES) return { ok: false, message: `A release may have at most ${MOST_CI_FILES} exports of CI results.` };
  let run = junit;
  const pipelines: CiPipeline[] = [];
  for (const file of files) {
    const results = await readCiResults(file);
    if (!results.ok) return results;
    if (results.kind === "jobs") pipelines.push(results.pipeline);
    // Two sets of results could contain the same tests, so their sums would be wrong.
    else if (run) return { ok: false, message: `${file} is the second file with test results; name only one.` };
    else run = { tests: results.tests, cases: results.cases };
  }
  return { ok: true, run, pipelines };
}
