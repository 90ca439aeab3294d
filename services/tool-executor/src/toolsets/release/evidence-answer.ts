import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { toolError, type ToolOutput } from "@toolbus/tool-kit";
import type { ApiAnswer } from "./call-api.ts";

/** The evidence beside the summary, by the name of its route. */
export type EvidenceKind = "test-details" | "code-changes" | "past-releases" | "observability-traces";

/** The largest answer with evidence, in bytes. A release API sends about 20 KiB in one page. */
export const MAX_EVIDENCE_BYTES = 64 * 1024;

interface Form {
  /** What the model reads about the evidence. */
  readonly words: string;
  readonly fields: Readonly<Record<string, (value: Json | undefined) => boolean>>;
}

const isText = (value: Json | undefined) => typeof value === "string";
const isList = (value: Json | undefined) => Array.isArray(value);
const isObject = (value: Json | undefined) => value !== undefined && isJsonObject(value);

const FORMS: Readonly<Record<EvidenceKind, Form>> = {
  "test-details": { words: "test details", fields: { release_id: isText, cases: isList, missing: isList } },
  "code-changes": { words: "code changes", fields: { release_id: isText, base: isText, head: isText, facts: isObject } },
  "past-releases": { words: "past releases", fields: { release_id: isText, releases: isList, missing: isList } },
  "observability-traces": { words: "traces", fields: { release_id: isText, operations: isList, missing: isList } },
};

/**
 * Returns what an answer of the API says about evidence, or undefined if the answer says nothing special about it. An API that lacks the route is an
 * older one, and the model learns this at once instead of trying again.
 */
export function evidenceOf(kind: EvidenceKind, answer: ApiAnswer): ToolOutput | undefined {
  if (answer.kind !== "answered") return undefined;
  const { words, fields } = FORMS[kind];
  const body: JsonObject | null = isJsonObject(answer.body) ? answer.body : null;
  if (answer.status === 200) {
    const isRight = body !== null && Object.entries(fields).every(([name, fits]) => fits(body[name]));
    return isRight ? answer.body : toolError("release_api_refused", `The release API answered with something else than ${words}.`);
  }
  if (answer.status !== 404 && answer.status !== 405 && answer.status !== 501) return undefined;
  const { error, message } = body ?? {};
  if (error === "release_not_found") return undefined;
  if ((error === "no_code_changes" || error === "page_not_found") && typeof message === "string") return toolError(error, message);
  return toolError(
    "no_such_evidence",
    `The release API does not serve ${words}, so use the summary of the release and say what is missing.`,
  );
}
