import { type CiJob, type CiPipeline, onlyOne, type Parsed } from "./ci-pipeline.ts";
import { amountOf, fieldsOf, lineOf, nameOf } from "./foreign-json.ts";

const STATES: Readonly<Record<string, CiJob["status"]>> = {
  success: "passed",
  failed: "failed",
  skipped: "skipped",
  manual: "skipped",
  canceled: "cancelled",
  canceling: "cancelled",
  created: "unfinished",
  pending: "unfinished",
  preparing: "unfinished",
  running: "unfinished",
  scheduled: "unfinished",
  waiting_for_resource: "unfinished",
  waiting_for_callback: "unfinished",
};

/** Parses the answer of GitLab's `GET /projects/:id/pipelines/:pipeline_id/jobs`. */
export function gitlabJobs(entries: readonly unknown[]): Parsed<CiPipeline> {
  if (entries.length === 0) return "is an empty list, so no job was exported.";
  const jobs: CiJob[] = [];
  const pipelines = new Set<string>();
  const commits = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const job = fieldsOf(entry);
    const name = lineOf(job?.["name"]);
    if (!job || name === undefined) return `has no name in job ${index + 1}.`;
    const state = job["status"];
    const status = typeof state === "string" && Object.hasOwn(STATES, state) ? STATES[state] : undefined;
    if (status === undefined) return `has no known status in job ${index + 1}.`;
    const pipeline = fieldsOf(job["pipeline"]);
    pipelines.add(nameOf(pipeline?.["id"]));
    commits.add(nameOf(fieldsOf(job["commit"])?.["id"] ?? pipeline?.["sha"]));
    const stage = lineOf(job["stage"]);
    const seconds = amountOf(job["duration"]);
    const reason = lineOf(job["failure_reason"]);
    jobs.push({
      status,
      name,
      ...(status === "failed" && job["allow_failure"] === true ? { allowed: true as const } : {}),
      ...(stage === undefined ? {} : { stage }),
      ...(seconds === undefined ? {} : { seconds }),
      ...(status === "failed" && reason !== undefined ? { reason } : {}),
    });
  }
  const pipeline = lineOf(onlyOne(pipelines));
  const commit = lineOf(onlyOne(commits), 64);
  return {
    provider: "gitlab",
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(commit === undefined ? {} : { commit }),
    jobs,
    unlisted: 0,
  };
}
