import {
  type CiJob,
  type CiPipeline,
  type Coverage,
  type CoveredFile,
  jobsInOrder,
  type TestCase,
  type TestRun,
} from "@toolbus/release-facts/measurements";
import { paged } from "./paged.ts";

/** Everything that is known about the tests of a release. */
export interface TestEvidence {
  readonly run?: TestRun | undefined;
  readonly coverage?: Coverage | undefined;
  readonly pipelines: readonly CiPipeline[];
}

export interface TestQuery {
  readonly status?: TestCase["status"] | undefined;
  /** Cases and covered files whose path begins with this text. */
  readonly path?: string | undefined;
  readonly page: number;
}

/** The answer of `GET /test-details`. A part that nobody measured is null or empty, and `missing` says so. */
export interface TestDetails {
  readonly release_id: string;
  readonly tests: { readonly passed: number; readonly failed: number; readonly skipped: number } | null;
  /** Failures first, then what was skipped, then the slowest. */
  readonly cases: readonly TestCase[];
  readonly coverage: (Omit<Coverage, "files"> & { readonly files: readonly CoveredFile[]; readonly files_omitted: number }) | null;
  readonly ci: readonly PipelineDetails[];
  readonly page: number;
  readonly pages: number;
  readonly missing: readonly string[];
}

interface PipelineDetails extends Omit<CiPipeline, "jobs"> {
  /** Whether the pipeline tested the newest commit of the release. Null if the export names no commit. */
  readonly of_this_release: boolean | null;
  readonly jobs: Readonly<Record<CiJob["status"], number>>;
  readonly listed: readonly CiJob[];
}

const COVERED_FILES = 20;
const LISTED_JOBS = 40;

/** Returns one page of the test details, or the number of pages if this page does not exist. */
export function testDetails(releaseId: string, head: string | undefined, evidence: TestEvidence, query: TestQuery): TestDetails | number {
  const { run, coverage, pipelines } = evidence;
  const starts = (path: string | undefined) => query.path === undefined || path?.startsWith(query.path) === true;
  const chosen = (run?.cases ?? []).filter(
    ({ status, file, suite }) => (query.status === undefined || status === query.status) && (starts(file) || starts(suite)),
  );
  const { page, pages, items } = paged(chosen, query.page);
  if (!items) return pages;
  const files = coverage?.files.filter(({ path }) => starts(path)) ?? [];
  let left = LISTED_JOBS;
  return {
    release_id: releaseId,
    tests: run ? { passed: run.tests.passed, failed: run.tests.failed, skipped: run.tests.skipped } : null,
    cases: items,
    coverage: coverage
      ? { ...coverage, files: files.slice(0, COVERED_FILES), files_omitted: coverage.files.length - Math.min(files.length, COVERED_FILES) }
      : null,
    ci: pipelines.map((pipeline) => {
      const listed = jobsInOrder(pipeline.jobs).slice(0, left);
      left -= listed.length;
      return detailsOf(pipeline, head, listed);
    }),
    page,
    pages,
    missing: [
      ...(run ? [] : ["Nobody gave test results for this release."]),
      ...(coverage ? [] : ["Nobody gave the coverage of its tests."]),
      ...(pipelines.length > 0 ? [] : ["Nobody gave the results of its CI jobs."]),
      ...pipelines.flatMap((pipeline) => doubtsOf(pipeline, head)),
    ],
  };
}

function detailsOf(pipeline: CiPipeline, head: string | undefined, listed: readonly CiJob[]): PipelineDetails {
  const { jobs, ...rest } = pipeline;
  const of = (status: CiJob["status"]) => jobs.filter((job) => job.status === status).length;
  return {
    ...rest,
    of_this_release: isOf(pipeline, head),
    jobs: {
      failed: of("failed"),
      cancelled: of("cancelled"),
      unfinished: of("unfinished"),
      skipped: of("skipped"),
      passed: of("passed"),
    },
    listed,
  };
}

function isOf({ commit }: CiPipeline, head: string | undefined): boolean | null {
  return commit === undefined || head === undefined ? null : commit.toLowerCase() === head;
}

function doubtsOf(pipeline: CiPipeline, head: string | undefined): readonly string[] {
  const { provider, pipeline: number, commit, unlisted } = pipeline;
  const name = `The ${provider} pipeline${number === undefined ? "" : ` ${number}`}`;
  return [
    ...(isOf(pipeline, head) === false ? [`${name} tested the commit ${commit}, which is not the end of this release.`] : []),
    ...(unlisted > 0 ? [`${name} has ${unlisted} more jobs, which the export lacks.`] : []),
  ];
}
