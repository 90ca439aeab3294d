import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { connectionError } from "../adapter/connection-error.ts";
import { ModelError, ProviderError } from "../model-errors.ts";
import { retryAfterMs } from "../adapter/retry-after.ts";
import { statusError } from "../adapter/status-error.ts";

interface Asked {
  readonly settings: AdapterSettings;
  /** The names of the tools that were sent, in order. */
  readonly toolNames: readonly string[];
}

/**
 * Converts the SDK's error into one of the classes that the loop knows. Returns an error unchanged if neither the vendor nor the network caused it.
 */
export function anthropicError(error: unknown, { settings, toolNames }: Asked): unknown {
  if (error instanceof ModelError) return error;
  const provider = { name: "Anthropic", keyVariable: "ANTHROPIC_API_KEY", baseUrl: settings.baseUrl, secret: settings.apiKey };
  if (error instanceof SyntaxError)
    return new ProviderError("Anthropic's answer contains broken JSON: nothing of it is used.", true, { cause: error });
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return connectionError(error, provider);
  const said = error.apiMessage ?? "";
  return statusError({
    provider,
    model: settings.model,
    toolNames,
    status: error.status ?? STATUS_OF_TYPE[error.type ?? ""] ?? null,
    inStream: error.status === undefined,
    said,
    kind: OUT_OF_CREDIT.test(said) ? "billing" : KIND_OF_TYPE[error.type ?? ""],
    requestId: error.requestID ?? requestIdIn(error.error),
    retryAfterMs: retryAfterMs((name) => error.headers?.get(name)),
  });
}

/** Returns the request id in the body of an `error` event, or null. */
function requestIdIn(body: unknown): string | null {
  const id = typeof body === "object" && body !== null && "request_id" in body ? body.request_id : null;
  return typeof id === "string" ? id : null;
}

/** The vendor sends this error with status 400 and without a type of its own. */
const OUT_OF_CREDIT = /credit balance is too low/i;

/** The status of an `error` event, which has a type but no status. Source: platform.claude.com/docs/en/api/errors. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

const KIND_OF_TYPE: Readonly<Record<string, "billing">> = { billing_error: "billing" };
