import { type CiJob, type CiPipeline, onlyOne, type Parsed } from "./ci-pipeline.ts";
import { type Fields, fieldsOf, lineOf, listOf, nameOf, secondsBetween } from "./foreign-json.ts";

const CONCLUSIONS: Readonly<Record<string, CiJob["status"]>> = {
  success: "passed",
  failure: "failed",
  timed_out: "failed",
  startup_failure: "failed",
  action_required: "failed",
  neutral: "skipped",
  skipped: "skipped",
  stale: "skipped",
  cancelled: "cancelled",
};
const STATES: ReadonlySet<unknown> = new Set(["queued", "in_progress", "completed", "waiting", "requested", "pending"]);

/** Parses the answer of GitHub's `GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs`. */
export function githubJobs(body: Fields): Parsed<CiPipeline> {
  const entries = listOf(body["jobs"]);
  const total = body["total_count"];
  if (!entries || typeof total !== "number" || !Number.isSafeInteger(total) || total < 0)
    return "has jobs in a form that GitHub does not use.";
  const jobs: CiJob[] = [];
  const runs = new Set<string>();
  const commits = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const job = fieldsOf(entry);
    const name = lineOf(job?.["name"]);
    if (!job || name === undefined) return `has no name in job ${index + 1}.`;
    const status = statusOf(job);
    if (status === undefined) return `has no known status or conclusion in job ${index + 1}.`;
    runs.add(nameOf(job["run_id"]));
    commits.add(nameOf(job["head_sha"]));
    const seconds = secondsBetween(job["started_at"], job["completed_at"]);
    const reason = lineOf(failedSteps(job["steps"]), 300);
    jobs.push({
      status,
      name,
      ...(seconds === undefined ? {} : { seconds }),
      ...(status === "failed" && reason !== undefined ? { reason: `Failed steps: ${reason}` } : {}),
    });
  }
  const pipeline = lineOf(onlyOne(runs));
  const commit = lineOf(onlyOne(commits), 64);
  return {
    provider: "github",
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(commit === undefined ? {} : { commit }),
    jobs,
    unlisted: Math.max(0, total - jobs.length),
  };
}

function statusOf({ status, conclusion }: Fields): CiJob["status"] | undefined {
  if (!STATES.has(status)) return undefined;
  if (status !== "completed") return "unfinished";
  return typeof conclusion === "string" && Object.hasOwn(CONCLUSIONS, conclusion) ? CONCLUSIONS[conclusion] : undefined;
}

function failedSteps(steps: unknown): string {
  return (listOf(steps) ?? [])
    .map(fieldsOf)
    .flatMap((step) => (step?.["conclusion"] === "failure" && typeof step["name"] === "string" ? [step["name"]] : []))
    .slice(0, 10)
    .join(", ");
}
