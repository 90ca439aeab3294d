import { fileKinds } from "@toolbus/release-facts";
import { type Answer, problem } from "./answer.ts";
import { codeChanges } from "./code-changes.ts";
import { parseQuery, type Query } from "./evidence-query.ts";
import { pastDetails } from "./past-details.ts";
import type { ReleaseEvidence } from "./release-evidence.ts";
import type { ReleaseSummary } from "./release-summary.ts";
import type { RiskReport } from "./risk-report.ts";
import { testDetails } from "./test-details.ts";
import { traceDetails } from "./trace-details.ts";

/** What the evidence routes need. */
export interface EvidenceSources {
  release(releaseId: string): ReleaseSummary | undefined | Promise<ReleaseSummary | undefined>;
  evidence(releaseId: string): ReleaseEvidence | undefined;
  reports(): readonly RiskReport[];
  notFound(releaseId: string): Answer;
}

/** Answers a request for evidence. */
export type EvidenceRoute = (query: URLSearchParams, sources: EvidenceSources) => Promise<Answer>;

/** The time that one request waits for git. The read continues, so a repeat usually finds the result. */
const WAIT_MS = 15_000;

/** The routes of the evidence beside the summary, by their paths. */
export const evidenceRoutes: ReadonlyMap<string, EvidenceRoute> = new Map<string, EvidenceRoute>([
  ["/test-details", about(["status", "path"], tests)],
  ["/code-changes", about(["area", "path", "kind"], changes)],
  ["/past-releases", about([], past)],
  ["/observability-traces", about(["service"], traces)],
]);

/** A question about a release that exists. */
interface Question<Name extends string> extends Extract<Query<Name>, { ok: true }> {
  readonly release: ReleaseSummary;
  readonly evidence: ReleaseEvidence | undefined;
  readonly sources: EvidenceSources;
}

function about<Name extends string>(names: readonly Name[], answer: (question: Question<Name>) => Promise<Answer>): EvidenceRoute {
  return async (parameters, sources) => {
    const query = parseQuery(parameters, names);
    if (!query.ok) return query.answer;
    const release = await sources.release(query.releaseId);
    if (!release) return sources.notFound(query.releaseId);
    return answer({ ...query, release, evidence: sources.evidence(query.releaseId), sources });
  };
}

const STATUSES = ["failed", "skipped", "passed"] as const;

async function tests({ releaseId, page, values, release, evidence }: Question<"status" | "path">): Promise<Answer> {
  const status = STATUSES.find((known) => known === values.status);
  if (values.status !== undefined && status === undefined)
    return problem(400, "bad_request", `status must be one of ${STATUSES.join(", ")}.`);
  const head = evidence?.head ?? release.to.commit;
  return pageAnswer(page, testDetails(releaseId, head, evidence?.tests ?? { pipelines: [] }, { status, path: values.path, page }));
}

async function changes({ releaseId, page, values, evidence }: Question<"area" | "path" | "kind">): Promise<Answer> {
  const kind = fileKinds.find((known) => known === values.kind);
  if (values.kind !== undefined && kind === undefined) return problem(400, "bad_request", `kind must be one of ${fileKinds.join(", ")}.`);
  if (!evidence) return problem(404, "no_code_changes", "The API has no repository for this release.");
  const outcome = await evidence.changes.within(AbortSignal.timeout(WAIT_MS));
  if (!outcome) return stillReading();
  if (!outcome.ok) return problem(404, "no_code_changes", outcome.message);
  return pageAnswer(page, codeChanges(releaseId, outcome.facts, { area: values.area, path: values.path, kind, page }));
}

async function past({ releaseId, page, release, evidence, sources }: Question<never>): Promise<Answer> {
  const outcome = evidence
    ? await evidence.past.within(AbortSignal.timeout(WAIT_MS))
    : ({ ok: false, message: "The API has no repository for this release." } as const);
  if (!outcome) return stillReading();
  const served = async (tag: string) => {
    // Another release of the same project has the same text before its tag.
    const id = `${releaseId.slice(0, Math.max(0, releaseId.length - release.version.length))}${tag}`;
    return id === releaseId ? undefined : sources.release(id);
  };
  return pageAnswer(page, await pastDetails({ release, releaseId, outcome, served, reports: sources.reports(), page }));
}

async function traces({ releaseId, page, values, evidence }: Question<"service">): Promise<Answer> {
  return pageAnswer(page, traceDetails(releaseId, evidence?.traces, { service: values.service, page }));
}

/** A number is the number of pages, if the wanted page does not exist. */
function pageAnswer(page: number, found: object | number): Answer {
  if (typeof found !== "number") return { status: 200, body: found };
  return problem(404, "page_not_found", `There is no page ${page}, because the last page is ${found}.`);
}

function stillReading(): Answer {
  return problem(503, "still_reading", "The API still reads the repository; repeat the request.", {}, { "retry-after": "5" });
}
