import type { Json, JsonObject, Problem } from "@toolbus/contracts";
import { toolError, type ToolOutput } from "@toolbus/tool-kit";
import { type ApiAnswer, callApi } from "./call-api.ts";
import { type EvidenceKind, evidenceOf, MAX_EVIDENCE_BYTES } from "./evidence-answer.ts";

export type RiskReport = { readonly release_id: string; readonly severity: string; readonly findings: readonly string[] };

export interface ReleaseApiOptions {
  /** The address of the release API. */
  readonly url: string;
}

/** A release that exists, and the evidence that the API has of it. An older API lists none. */
export interface NewestRelease {
  readonly id: string;
  readonly evidence: readonly string[];
}

export type EvidenceParameters = Readonly<Record<string, string | number | undefined>>;

/** The release API, with its refusals in words for the model. Every method stops when the signal aborts. */
export interface ReleaseApi {
  /** Returns a release that exists, for examples. Returns null if the API does not list its releases (`GET /releases`). */
  newestRelease(signal: AbortSignal): Promise<NewestRelease | null>;
  summary(releaseId: string, signal: AbortSignal): Promise<ToolOutput>;
  /** Returns one page of evidence. The parameters are those of the API's route. */
  evidence(kind: EvidenceKind, releaseId: string, parameters: EvidenceParameters, signal: AbortSignal): Promise<ToolOutput>;
  /** Files a report once for each key. A refusal is a problem with `effect: "none"`. Throws if the outcome is open. */
  fileReport(report: RiskReport, key: string, signal: AbortSignal): Promise<ToolOutput>;
}

export function releaseApi({ url }: ReleaseApiOptions): ReleaseApi {
  return {
    async newestRelease(signal) {
      const answer = await callApi(new URL("/releases", url), { signal });
      if (answer.kind !== "answered" || answer.status !== 200) return null;
      const { releases, evidence } = fieldsOf(answer.body);
      const [newest] = listOf(releases);
      if (typeof newest !== "string" || newest === "" || newest.length > MAX_RELEASE_ID) return null;
      return { id: newest, evidence: listOf(evidence).filter((name) => typeof name === "string") };
    },
    async summary(releaseId, signal) {
      const answer = await callApi(new URL(`/release-summary?release_id=${encodeURIComponent(releaseId)}`, url), { signal });
      if (answer.kind === "answered" && answer.status === 200) return answer.body;
      return refusal(answer, undefined) ?? unavailable(answer);
    },
    async evidence(kind, releaseId, parameters, signal) {
      const asked = new URL(`/${kind}`, url);
      for (const [name, value] of Object.entries({ release_id: releaseId, ...parameters }))
        if (value !== undefined) asked.searchParams.set(name, String(value));
      const answer = await callApi(asked, { signal, most: MAX_EVIDENCE_BYTES });
      return evidenceOf(kind, answer) ?? refusal(answer, undefined) ?? unavailable(answer);
    },
    async fileReport(report, key, signal) {
      const answer = await callApi(new URL("/risk-report", url), { signal, post: { body: report, idempotencyKey: key } });
      if (answer.kind === "answered" && (answer.status === 200 || answer.status === 201)) return answer.body;
      const refused = refusal(answer, "none");
      if (refused) return refused;
      if (answer.kind === "no_answer" && !answer.sent) return unavailable(answer, "none");
      // The report may have been filed. The worker repeats the request with the same key, and the API answers with the same report.
      throw unavailable(answer);
    },
  };
}

/** Returns the refusal of the API. Returns undefined for any answer that says nothing about the effect. */
function refusal(answer: ApiAnswer, effect: "none" | undefined): ToolOutput | undefined {
  if (answer.kind !== "answered" || answer.status < 400 || answer.status > 499 || OPEN_STATUSES.has(answer.status)) return undefined;
  const nothing = effect === undefined ? {} : { effect };
  const { error, message, known, details } = problemOf(answer.body);
  switch (answer.status) {
    case 404:
      return toolError("release_not_found", `${message}${known.length === 0 ? "" : ` Known releases: ${known.join(", ")}.`}`, nothing);
    case 429:
      return toolError("rate_limited", "The release API takes no more requests for a while.", {
        ...nothing,
        retryAfter: answer.retryAfter ?? 30,
      });
    case 401:
    case 403:
      return toolError("policy_denied", "The release API refuses the worker's access.", nothing);
    default:
      return toolError(error === "invalid_report" ? "invalid_arguments" : "release_api_refused", message, {
        ...nothing,
        ...(details.length === 0 ? {} : { details }),
      });
  }
}

// The API may still have accepted a request that it gave up (408) or asks for again (425).
const OPEN_STATUSES: ReadonlySet<number> = new Set([408, 425]);

function unavailable(answer: ApiAnswer, effect?: "none"): ReturnType<typeof toolError> {
  const why = answer.kind === "answered" ? `answered with status ${answer.status}` : answer.why;
  return toolError("unavailable", `The release API ${why}.`, {
    retryable: true,
    ...(effect === undefined ? {} : { effect }),
    ...(answer.kind === "answered" && answer.retryAfter !== undefined ? { retryAfter: answer.retryAfter } : {}),
  });
}

interface ApiProblem {
  readonly error: string;
  readonly message: string;
  readonly known: readonly string[];
  readonly details: readonly Problem[];
}

const MAX_KNOWN = 20;
const MAX_RELEASE_ID = 200;

/** Returns the API's own words if they have the expected form, because the target is not trusted further. */
function problemOf(body: Json): ApiProblem {
  const { error, message, known, details } = fieldsOf(body);
  return {
    error: typeof error === "string" ? error : "refused",
    message: typeof message === "string" ? message : "The release API refused the request.",
    known: listOf(known)
      .flatMap((name) => (typeof name === "string" ? [name.slice(0, 80)] : []))
      .slice(0, MAX_KNOWN),
    details: listOf(details).flatMap((detail) => {
      const { field, problem } = fieldsOf(detail);
      return typeof field === "string" && typeof problem === "string" ? [{ path: `/${field}`, message: problem }] : [];
    }),
  };
}

function fieldsOf(value: Json | undefined): Readonly<Record<string, Json | undefined>> {
  return value !== undefined && isObject(value) ? value : {};
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
