import { type ProblemCode, problemCodes, type ProblemDetails } from "@toolbus/contracts";
import { redacted } from "@toolbus/telemetry";

/** An HTTP error answer (RFC 9457). A route throws it, and the server's error handler sends it. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly code: ProblemCode;
  readonly extra: Pick<ProblemDetails, "remedy" | "errors">;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: Pick<ProblemDetails, "remedy" | "errors"> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.code = code;
    this.extra = extra;
    this.headers = headers;
  }

  get status(): number {
    return problemCodes[this.code];
  }

  /** Returns the body for the client. It may quote the client's input, but never credentials. */
  body(): ProblemDetails {
    return redacted({
      type: `urn:toolbus:problem:${this.code}`,
      title: TITLES[this.code],
      status: this.status,
      code: this.code,
      detail: this.message,
      ...this.extra,
    });
  }
}

const TITLES: Readonly<Record<ProblemCode, string>> = {
  malformed_body: "The body is not JSON",
  invalid_request: "The request breaks its schema",
  invalid_cursor: "The cursor is not one of ours",
  unauthenticated: "No valid credential",
  forbidden: "Not allowed",
  self_approval: "A requester never approves",
  not_found: "Not found",
  method_not_allowed: "Method not allowed",
  not_acceptable: "Not acceptable",
  request_timeout: "The request took too long",
  already_decided: "Already decided",
  token_used: "The token was used",
  conflict: "Conflict",
  conversation_busy: "The conversation is busy",
  queue_full: "Too many messages wait",
  run_ended: "The run has ended",
  not_asked: "Nothing was asked",
  not_replayable: "It cannot be replayed",
  expired: "Expired",
  body_too_large: "The body is too large",
  address_too_long: "The address is too long",
  unsupported_media_type: "The body must be JSON",
  idempotency_key_reused: "The key was used for another body",
  rate_limited: "Too many requests",
  headers_too_large: "The headers are too large",
  internal: "A fault of the server",
  incomplete: "Not all of it was begun",
  store_unavailable: "The state store cannot be reached",
  shutting_down: "The server is stopping",
};
