import type { Json } from "@toolbus/contracts";
import { type ApiAnswer, callApi } from "./call-api.ts";

/** The release that the check asks for. No release has this name, and an API that says so works. */
const CHECKED_RELEASE = "toolbus-availability-check";

/**
 * Asks the release API for a release that does not exist. Returns why the tools cannot be used and what to do, or null if the API answers as a
 * release API does. Rejects only when the signal aborts.
 */
export async function checkApi(url: string, signal: AbortSignal): Promise<string | null> {
  const late = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  try {
    const asked = new URL(`/release-summary?release_id=${CHECKED_RELEASE}`, url);
    return faultOf(await callApi(asked, { signal: AbortSignal.any([signal, late]) }));
  } catch (error) {
    signal.throwIfAborted();
    if (!late.aborted) throw error;
    return `The release API does not answer within ${ANSWERS_WITHIN_MS / 1000} s. See why it is slow, or correct RELEASE_API_URL.`;
  }
}

function faultOf(answer: ApiAnswer): string | null {
  if (answer.kind === "no_answer")
    return answer.why === "cannot be reached"
      ? "The release API cannot be reached. Start it, or correct RELEASE_API_URL."
      : `The release API ${answer.why}. Correct RELEASE_API_URL, if it is the address of something else.`;
  const { status, body } = answer;
  if (status === 401 || status === 403)
    return `The release API refuses the worker's access (status ${status}). Give the worker access to it.`;
  if (status >= 500) return `The release API answers with status ${status}. Its own log says why.`;
  // A busy API is available.
  if (BUSY.has(status) || isObject(body)) return null;
  return `The address of RELEASE_API_URL answers with status ${status}, and not as a release API does. Correct RELEASE_API_URL.`;
}

function isObject(body: Json): boolean {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

/** This is below the time limit of a check, so that the check reports this reason. */
const ANSWERS_WITHIN_MS = 4000;
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);
