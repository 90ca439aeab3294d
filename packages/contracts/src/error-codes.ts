/**
 * The table `toolErrors` relates the four vocabularies of a failed tool call (E-01 to E-08). The class decides what the model may do, and the wire
 * code is sent on the bus. Users of the library see the name, and the audit records the status.
 */
export type ErrorClass = "ToolUserError" | "ToolPolicyError" | "ToolTransientError" | "ToolTerminalError";
export type WireCode = "ToolNotFound" | "ExecutionFailed" | "Timeout" | "InvalidArguments";
export type ErrorName = "ToolNotFoundError" | "InvalidArgumentsError" | "ToolExecutionError" | "ToolTimeoutError";
/** The ways in which a call can end. */
export const RESULT_STATUSES = [
  "ok",
  "validation_error",
  "timeout",
  "denied",
  "unknown_tool",
  "error",
  "not_executed",
  "outcome_unknown",
  "cancelled",
] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

export interface ErrorRow {
  readonly class: ErrorClass;
  readonly wireCode: WireCode;
  readonly name: ErrorName;
  readonly status: ResultStatus;
  readonly retryable: boolean;
}

const row = (cls: ErrorClass, wireCode: WireCode, name: ErrorName, status: ResultStatus, retryable = false): ErrorRow => ({
  class: cls,
  wireCode,
  name,
  status,
  retryable,
});

/**
 * Every code that the product itself uses. A tool may define others for its own domain (`release_not_found`), which use the row of `domain_error`.
 */
export const toolErrors = {
  invalid_arguments: row("ToolUserError", "InvalidArguments", "InvalidArgumentsError", "validation_error"),
  tool_not_found: row("ToolUserError", "ToolNotFound", "ToolNotFoundError", "unknown_tool"),
  domain_error: row("ToolUserError", "ExecutionFailed", "ToolExecutionError", "error"),
  timeout: row("ToolTransientError", "Timeout", "ToolTimeoutError", "timeout", true),
  rate_limited: row("ToolTransientError", "ExecutionFailed", "ToolExecutionError", "error", true),
  no_worker: row("ToolTransientError", "ExecutionFailed", "ToolExecutionError", "not_executed", true),
  unavailable: row("ToolTransientError", "ExecutionFailed", "ToolExecutionError", "error", true),
  execution_failed: row("ToolTerminalError", "ExecutionFailed", "ToolExecutionError", "error"),
  result_too_large: row("ToolTerminalError", "ExecutionFailed", "ToolExecutionError", "error"),
  result_unavailable: row("ToolTerminalError", "ExecutionFailed", "ToolExecutionError", "error"),
  worker_crashed: row("ToolTerminalError", "ExecutionFailed", "ToolExecutionError", "error"),
  tool_disabled: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "denied"),
  tool_changed: row("ToolTerminalError", "ExecutionFailed", "ToolExecutionError", "not_executed"),
  policy_denied: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "denied"),
  denied_by_user: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "denied"),
  revision_requested: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "denied"),
  approval_expired: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "denied"),
  approval_lapsed: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "denied"),
  limit: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "denied"),
  not_executed: row("ToolTransientError", "ExecutionFailed", "ToolExecutionError", "not_executed", true),
  skipped: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "not_executed"),
  outcome_unknown: row("ToolTerminalError", "ExecutionFailed", "ToolExecutionError", "outcome_unknown"),
  cancelled: row("ToolPolicyError", "ExecutionFailed", "ToolExecutionError", "cancelled"),
  no_answer: row("ToolUserError", "Timeout", "ToolTimeoutError", "timeout"),
  not_recorded: row("ToolTerminalError", "ExecutionFailed", "ToolExecutionError", "not_executed"),
} as const satisfies Record<string, ErrorRow>;

export type ToolErrorCode = keyof typeof toolErrors;

/** Returns the row for a code. A code of a tool's own domain has the row of `domain_error`. */
export function errorRow(code: string): ErrorRow {
  return Object.hasOwn(toolErrors, code) ? toolErrors[code as ToolErrorCode] : toolErrors.domain_error;
}

/** Returns the code for a failure that has only a wire code. A worker in another language may send such a failure. */
export function codeOfWire(wireCode: string): ToolErrorCode {
  return Object.hasOwn(CODE_OF_WIRE, wireCode) ? CODE_OF_WIRE[wireCode as WireCode] : "execution_failed";
}

const CODE_OF_WIRE = {
  ToolNotFound: "tool_not_found",
  InvalidArguments: "invalid_arguments",
  Timeout: "timeout",
  ExecutionFailed: "execution_failed",
} as const satisfies Record<WireCode, ToolErrorCode>;

/** The codes of HTTP problems (RFC 9457, `application/problem+json`), with their status. The `type` of a problem is `urn:toolbus:problem:<code>`. */
export const problemCodes = {
  malformed_body: 400,
  invalid_request: 400,
  invalid_cursor: 400,
  unauthenticated: 401,
  forbidden: 403,
  self_approval: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  already_decided: 409,
  token_used: 409,
  conflict: 409,
  conversation_busy: 409,
  queue_full: 409,
  run_ended: 409,
  not_asked: 409,
  not_replayable: 409,
  expired: 410,
  body_too_large: 413,
  address_too_long: 414,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  incomplete: 503,
  store_unavailable: 503,
  shutting_down: 503,
} as const;

export type ProblemCode = keyof typeof problemCodes;

/**
 * The beginning of the `detail` of `not_found` for a path that a service does not have. A client recognises by this text that it has the address of
 * another service.
 */
export const NO_ROUTE = "There is no route";
