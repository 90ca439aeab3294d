import { describe, expect, it } from "vitest";
import { codeOfWire, errorRow, problemCodes, toolErrors } from "./error-codes.ts";

// The codes are written out here, because programs and people match on them.
const TOOL_ERRORS = `
  invalid_arguments   ToolUserError       InvalidArguments  InvalidArgumentsError  validation_error  final
  tool_not_found      ToolUserError       ToolNotFound      ToolNotFoundError      unknown_tool      final
  domain_error        ToolUserError       ExecutionFailed   ToolExecutionError     error             final
  timeout             ToolTransientError  Timeout           ToolTimeoutError       timeout           retryable
  rate_limited        ToolTransientError  ExecutionFailed   ToolExecutionError     error             retryable
  no_worker           ToolTransientError  ExecutionFailed   ToolExecutionError     not_executed      retryable
  unavailable         ToolTransientError  ExecutionFailed   ToolExecutionError     error             retryable
  execution_failed    ToolTerminalError   ExecutionFailed   ToolExecutionError     error             final
  result_too_large    ToolTerminalError   ExecutionFailed   ToolExecutionError     error             final
  result_unavailable  ToolTerminalError   ExecutionFailed   ToolExecutionError     error              final
  worker_crashed      ToolTerminalError   ExecutionFailed   ToolExecutionError     error             final
  tool_disabled       ToolPolicyError     ExecutionFailed   ToolExecutionError     denied            final
  tool_changed        ToolTerminalError   ExecutionFailed   ToolExecutionError     not_executed      final
  policy_denied       ToolPolicyError     ExecutionFailed   ToolExecutionError     denied            final
  denied_by_user      ToolPolicyError     ExecutionFailed   ToolExecutionError     denied            final
  revision_requested  ToolPolicyError     ExecutionFailed   ToolExecutionError     denied            final
  approval_expired    ToolPolicyError     ExecutionFailed   ToolExecutionError     denied            final
  approval_lapsed     ToolPolicyError     ExecutionFailed   ToolExecutionError     denied            final
  limit               ToolPolicyError     ExecutionFailed   ToolExecutionError     denied            final
  not_executed        ToolTransientError  ExecutionFailed   ToolExecutionError     not_executed      retryable
  skipped             ToolPolicyError     ExecutionFailed   ToolExecutionError     not_executed      final
  outcome_unknown     ToolTerminalError   ExecutionFailed   ToolExecutionError     outcome_unknown   final
  cancelled           ToolPolicyError     ExecutionFailed   ToolExecutionError     cancelled         final
  no_answer           ToolUserError       Timeout           ToolTimeoutError       timeout           final
  not_recorded        ToolTerminalError   ExecutionFailed   ToolExecutionError     not_executed      final
`;

describe("codes of tool errors", () => {
  it("are exactly these, each with class, wire code, name, status and whether to retry", () => {
    const rows = Object.entries(toolErrors).map(([code, row]) =>
      [code, row.class, row.wireCode, row.name, row.status, row.retryable ? "retryable" : "final"].join(" "),
    );
    expect(rows).toEqual(
      TOOL_ERRORS.trim()
        .split("\n")
        .map((line) => line.trim().replaceAll(/ +/g, " ")),
    );
  });

  it("are retryable exactly when their class is transient", () => {
    for (const [code, row] of Object.entries(toolErrors)) expect([code, row.retryable]).toEqual([code, row.class === "ToolTransientError"]);
  });

  it.each(["release_not_found", "", "toString", "__proto__"])("use the row of domain_error for a tool's own code %j", (code) => {
    expect(errorRow(code)).toBe(toolErrors.domain_error);
  });

  it.each(["ToolNotFound", "InvalidArguments", "Timeout", "ExecutionFailed"])("are found by the wire code %s alone", (wireCode) => {
    expect(toolErrors[codeOfWire(wireCode)]).toMatchObject({ wireCode });
  });

  it.each(["grant_stale", "", "toString", "timeout"])("are execution_failed for %j, which is not a wire code", (wireCode) => {
    expect(codeOfWire(wireCode)).toBe("execution_failed");
  });

  it("never call an unknown outcome or a denial retryable", () => {
    expect([errorRow("outcome_unknown").retryable, errorRow("denied_by_user").retryable]).toEqual([false, false]);
  });
});

describe("codes of HTTP problems", () => {
  it("are exactly these, each with its status", () => {
    expect(problemCodes).toEqual({
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
    });
  });
});
