import { readBounded } from "./bounded-file.ts";
import type { CiPipeline } from "./ci-pipeline.ts";
import { fieldsOf, listOf, parseJson } from "./foreign-json.ts";
import { githubJobs } from "./github-jobs.ts";
import { gitlabJobs } from "./gitlab-jobs.ts";
import { gitlabTests } from "./gitlab-tests.ts";
import type { TestRun } from "./junit.ts";

/** What one export has: the jobs of a pipeline, or the tests of one. */
export type CiResults =
  | { readonly ok: true; readonly kind: "jobs"; readonly pipeline: CiPipeline }
  | ({ readonly ok: true; readonly kind: "tests" } & TestRun)
  | { readonly ok: false; readonly message: string };

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads an export of at most 16 MiB: the jobs of a run from GitHub's REST API, or the jobs or the test report of a pipeline from GitLab's. The form of
 * the JSON says which one it is. A file that is torn or has another form is refused with one sentence.
 */
export async function readCiResults(file: string): Promise<CiResults> {
  const read = await readBounded(file, MAX_BYTES);
  if (!read.ok) return read;
  const json = parseJson(read.text);
  if (!json.ok) return { ok: false, message: `${file} is not JSON.` };
  const list = listOf(json.value);
  const fields = fieldsOf(json.value);
  if (fields && "test_suites" in fields) {
    const run = gitlabTests(fields);
    return typeof run === "string" ? { ok: false, message: `${file} ${run}` } : { ok: true, kind: "tests", ...run };
  }
  const pipeline =
    fields && "jobs" in fields
      ? githubJobs(fields)
      : list
        ? gitlabJobs(list)
        : "is JSON, but neither GitHub's jobs of a run nor GitLab's jobs or test report of a pipeline.";
  return typeof pipeline === "string" ? { ok: false, message: `${file} ${pipeline}` } : { ok: true, kind: "jobs", pipeline };
}
