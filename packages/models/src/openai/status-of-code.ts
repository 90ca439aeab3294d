import type { Json } from "@toolbus/contracts";

/** The status for names of errors in streams, which have no status. The names are from OpenAI, vendors behind OpenRouter and vLLM. */
const STATUSES: Readonly<Record<string, number>> = {
  server_error: 500,
  internal_error: 500,
  internal_server_error: 500,
  api_error: 500,
  overloaded: 529,
  overloaded_error: 529,
  service_unavailable: 503,
  timeout: 408,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  insufficient_quota: 429,
  invalid_api_key: 401,
  authentication_error: 401,
  permission_error: 403,
  model_not_found: 404,
  not_found_error: 404,
  context_length_exceeded: 400,
  invalid_request_error: 400,
  invalid_prompt: 400,
  BadRequestError: 400,
};

/** Returns the HTTP status for an error's code. The code is a status, also as text, or one of the known names. Returns null for any other code. */
export function statusOfCode(code: Json): number | null {
  const text = typeof code === "number" || typeof code === "string" ? String(code) : "";
  const status = /^\d{3}$/.test(text) ? Number(text) : STATUSES[text];
  return status !== undefined && status >= 400 && status < 600 ? status : null;
}
