import type { IncomingMessage } from "node:http";
import { type Answer, problem } from "./answer.ts";
import { evidenceRoutes } from "./evidence-routes.ts";
import type { ReleaseEvidence } from "./release-evidence.ts";
import type { ReleaseSummary } from "./release-summary.ts";
import { MAX_BODY, readJsonBody } from "./request-body.ts";
import { MAX_RELEASE_ID, parseRiskReport, type RiskReport } from "./risk-report.ts";
import type { RiskReports } from "./risk-reports.ts";

/** The source of summaries, for example a `Map` by release id. */
export interface Releases {
  get(releaseId: string): ReleaseSummary | undefined | Promise<ReleaseSummary | undefined>;
  keys(): Iterable<string>;
  /** The names of the projects, if the API serves several repositories. A release id then begins with the project's name and a slash. */
  projects?(): readonly string[];
}

/** The source of the evidence beside the summaries, for example a `Map` by release id. */
export interface Evidence {
  get(releaseId: string): ReleaseEvidence | undefined;
}

/** Answers one request. Rejects only if a summary or a report cannot be read or stored. */
export type Respond = (request: IncomingMessage, signal: AbortSignal) => Promise<Answer>;

const MAX_LISTED = 100;

/** Returns the routes of the release API over its releases and reports. */
export function routes(releases: Releases, reports: RiskReports, evidence: Evidence): Respond {
  const sources = {
    release: (releaseId: string) => releases.get(releaseId),
    evidence: (releaseId: string) => evidence.get(releaseId),
    reports: () => reports.all(),
    notFound: (releaseId: string) => releaseNotFound(releaseId, releases),
  };
  return async (request, signal) => {
    const url = URL.canParse(request.url ?? "", "http://localhost") ? new URL(request.url ?? "", "http://localhost") : undefined;
    if (!url) return problem(400, "bad_request", "The request path is not a valid URL.");
    const reportId = /^\/risk-report\/([^/]+)$/u.exec(url.pathname)?.[1];
    if (reportId !== undefined) return reads(request, () => found(reports.find(reportId)));
    const ofEvidence = evidenceRoutes.get(url.pathname);
    if (ofEvidence) return reads(request, () => ofEvidence(url.searchParams, sources));
    switch (url.pathname) {
      case "/healthz":
        return reads(request, () => ({ status: 200, body: { status: "ok" } }));
      case "/release-summary":
        return reads(request, () => summaryOf(releases, url.searchParams));
      case "/releases":
        return reads(request, () => listed(releases, evidence));
      case "/risk-reports":
        return reads(request, () => newest(reports.all()));
      case "/risk-report":
        return request.method === "POST" ? fileReport(request, signal, reports) : methodNotAllowed("POST");
      default:
        return problem(404, "not_found", "There is no such path.");
    }
  };
}

async function reads(request: IncomingMessage, answer: () => Answer | Promise<Answer>): Promise<Answer> {
  return request.method === "GET" || request.method === "HEAD" ? answer() : methodNotAllowed("GET, HEAD");
}

async function summaryOf(releases: Releases, query: URLSearchParams): Promise<Answer> {
  const [releaseId, ...others] = query.getAll("release_id");
  if (!releaseId || others.length > 0 || releaseId.length > MAX_RELEASE_ID) {
    return problem(400, "bad_request", `Exactly one release_id of 1 to ${MAX_RELEASE_ID} characters is required.`);
  }
  const release = await releases.get(releaseId);
  return release ? { status: 200, body: release } : releaseNotFound(releaseId, releases);
}

/** Lists the releases, and the routes with evidence about the newest one. */
function listed(releases: Releases, evidence: Evidence): Answer {
  const ids = [...releases.keys()].slice(-MAX_LISTED).reverse();
  const known = ids[0] === undefined ? undefined : evidence.get(ids[0]);
  return { status: 200, body: { releases: ids, ...(known ? { evidence: [...evidenceRoutes.keys()].map((path) => path.slice(1)) } : {}) } };
}

async function fileReport(request: IncomingMessage, signal: AbortSignal, reports: RiskReports): Promise<Answer> {
  const unreadable = checkHeaders(request);
  if (unreadable) return unreadable;
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return problem(400, "idempotency_key_required", "Idempotency-Key is required.");
  // A header that is sent twice arrives as one value, joined by a comma and a space. The pattern refuses the space, so it refuses this value too.
  if (!/^[\x21-\x7e]{1,255}$/u.test(key)) {
    return problem(400, "idempotency_key_invalid", "Idempotency-Key must be 1 to 255 visible ASCII characters without blanks.");
  }
  const body = await readJsonBody(request, signal);
  if (!body.ok) return bodyProblem(body.problem);
  const parsed = parseRiskReport(body.value);
  if (!parsed.ok) return problem(400, "invalid_report", "The report has fields that are not valid.", { details: parsed.problems });

  // A report may be about a release that this server does not have, because its change may have come from a repository elsewhere.
  const filing = await reports.file(key, parsed.request);
  if (filing.kind === "conflict") {
    return problem(422, "idempotency_key_reused", "This Idempotency-Key was used with another report; use a new key for a new report.");
  }
  const { report_id, release_id, severity } = filing.report;
  // The link is a path without host and port, so the answer to a repeat stays the same after a restart on another port.
  const url = `/risk-report/${report_id}`;
  const filed = filing.kind === "filed";
  return {
    status: filed ? 201 : 200,
    body: { report_id, release_id, severity, url },
    headers: { location: url, ...(filed ? {} : { "idempotent-replay": "true" }) },
  };
}

function checkHeaders({ headers }: IncomingMessage): Answer | undefined {
  const type = headers["content-type"] ?? "";
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/iu.test(type) || headers["content-encoding"] !== undefined) {
    return problem(415, "unsupported_media_type", "The body must be application/json in UTF-8, not compressed.");
  }
  return undefined;
}

function bodyProblem(kind: "too_large" | "not_json" | "cut_off"): Answer {
  switch (kind) {
    case "too_large":
      return problem(413, "body_too_large", `The body may have ${MAX_BODY} bytes at most.`, {}, { connection: "close" });
    case "not_json":
      return problem(400, "invalid_json", "The body is not JSON in UTF-8.");
    case "cut_off":
      return problem(408, "body_cut_off", "The body did not arrive in time.", {}, { connection: "close" });
    default:
      return kind satisfies never;
  }
}

function found(report: RiskReport | undefined): Answer {
  return report ? { status: 200, body: report } : problem(404, "report_not_found", "There is no risk report with this id.");
}

function newest(all: readonly RiskReport[]): Answer {
  return { status: 200, body: { total: all.length, reports: all.slice(-MAX_LISTED).reverse() } };
}

function releaseNotFound(releaseId: string, releases: Releases): Answer {
  const known = [...releases.keys()].slice(0, MAX_LISTED);
  const projects = releases.projects?.();
  const project = releaseId.slice(0, Math.max(0, releaseId.indexOf("/")));
  const message =
    projects && !projects.includes(project)
      ? `There is no project "${project}" in "${releaseId}". Known projects: ${projects.slice(0, MAX_LISTED).join(", ")}.`
      : `There is no release "${releaseId}".`;
  return problem(404, "release_not_found", message, { known });
}

function methodNotAllowed(allow: string): Answer {
  return problem(405, "method_not_allowed", `This path answers ${allow} only.`, {}, { allow });
}
