import type { JsonObject } from "@toolbus/contracts";

/** Returns the body of an error, for a plain answer and for the data of an `error` event. Source: platform.claude.com/docs/en/api/errors. */
export function anthropicError(status: number, message: string): JsonObject {
  return { type: "error", error: { type: TYPES[status] ?? "api_error", message }, request_id: "req_011CTestToolbus" };
}

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  413: "request_too_large",
  415: "invalid_request_error",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};
