import { isJsonObject, type JsonObject } from "@toolbus/contracts";
import { parseStrictJson } from "@toolbus/grants";
import { type AllowedHosts, type AttemptOutcome, guardedRequest, type ResolveName, type SlackTarget, unreached } from "@toolbus/runtime";

/** The answer to one call of a method of Slack. `error` is Slack's word for a refusal. */
export type SlackAnswer =
  | { readonly kind: "ok"; readonly body: JsonObject }
  | (Extract<AttemptOutcome, { readonly kind: "failed" | "refused" }> & { readonly error?: string });

/** Calls the methods of Slack with the token of a target. */
export type CallSlack = (
  target: Pick<SlackTarget, "apiUrl" | "token">,
  method: string,
  parameters: JsonObject,
  signal: AbortSignal,
) => Promise<SlackAnswer>;

/**
 * Returns a function that calls a method of Slack. It never throws. Slack answers a refusal with 200 and `ok: false`. A refusal that time can cure is
 * `failed`, and any other one is `refused`, because a retry would get the same answer.
 */
export function slackApi({ allowed, resolve }: { readonly allowed: AllowedHosts; readonly resolve?: ResolveName }): CallSlack {
  return async ({ apiUrl, token }, method, parameters, signal) => {
    const headers = {
      "content-type": "application/json; charset=utf-8",
      authorization: `Bearer ${token}`,
      "user-agent": "toolbus-approvals",
    };
    try {
      const url = new URL(method, apiUrl);
      const body = JSON.stringify(parameters);
      const answer = await guardedRequest({ method: "POST", url, headers, body, allowed, signal, readUpTo: MOST_BYTES, resolve });
      return answerOf(answer.status, answer.text, retryAfter(answer.headers["retry-after"]));
    } catch (error) {
      return { kind: "failed", reason: unreached(error, signal) };
    }
  };
}

const MOST_BYTES = 1024 * 1024;
/** The refusals after which a retry may succeed. */
const PASSING: ReadonlySet<string> = new Set([
  "ratelimited",
  "rate_limited",
  "message_limit_exceeded",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
]);

function answerOf(status: number, text: string, wait: { readonly afterMs?: number }): SlackAnswer {
  if (status !== 200) return { kind: "failed", reason: `it answered ${status}`, ...(status === 429 || status === 503 ? wait : {}) };
  const read = parseStrictJson(text);
  const body = read.ok && isJsonObject(read.value) ? read.value : null;
  if (body?.["ok"] === true) return { kind: "ok", body };
  const error = body?.["error"];
  if (typeof error !== "string" || !/^[a-z0-9_]{1,80}$/.test(error)) return { kind: "failed", reason: "its answer is not one of Slack's" };
  const reason = `it refused (${error})`;
  return PASSING.has(error) ? { kind: "failed", reason, error, ...wait } : { kind: "refused", reason, error };
}

function retryAfter(header: string | readonly string[] | undefined): { readonly afterMs?: number } {
  return typeof header === "string" && /^\d{1,6}$/.test(header) ? { afterMs: Number(header) * 1000 } : {};
}
