import { type Static, Type } from "./schema.ts";
import { errorRow, RESULT_STATUSES } from "./error-codes.ts";
import type { Problem } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** What went wrong, in words that the model can act on. */
export const ResultError = Type.Object(
  {
    code: Type.String({ maxLength: 64 }),
    class: Type.Enum(["ToolUserError", "ToolPolicyError", "ToolTransientError", "ToolTerminalError"]),
    message: Type.String({ maxLength: 4000 }),
    retryable: Type.Boolean(),
    /** Seconds. */
    retryAfter: Type.Optional(Type.Number()),
    details: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }, closed), { maxItems: 16 })),
  },
  closed,
);
export type ResultError = Static<typeof ResultError>;

/** What the models that a tool itself called have used. A call of unknown price has no cost. */
export const ToolModelUse = Type.Object(
  {
    calls: Type.Integer({ minimum: 1 }),
    inputTokens: Type.Integer({ minimum: 0 }),
    outputTokens: Type.Integer({ minimum: 0 }),
    /** Millionths of a US dollar. */
    costMicroUsd: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  closed,
);
export type ToolModelUse = Static<typeof ToolModelUse>;

/** One metadata record per call: what is logged and audited, never arguments or content. */
export const CallMetadata = Type.Object(
  {
    tool: Type.String({ maxLength: 128 }),
    agent: Type.String({ maxLength: 64 }),
    startedAt: Type.Integer(),
    endedAt: Type.Integer(),
    latencyMs: Type.Number(),
    ok: Type.Boolean(),
    errorClass: Type.Optional(Type.String({ maxLength: 64 })),
    traceId: Type.Optional(Type.String({ maxLength: 64 })),
    attempt: Type.Integer(),
    model: Type.Optional(ToolModelUse),
  },
  closed,
);
export type CallMetadata = Static<typeof CallMetadata>;

/** A text that is too long to travel or to stand in a document: its UTF-8 is a blob in the store, stored before anything referred to it. */
export const ContentRef = Type.Object(
  {
    blob: Type.String({ pattern: "^sha256-[0-9a-f]{64}$" }),
    /** UTF-16 code units of the whole. */
    chars: Type.Integer({ minimum: 0, maximum: 16_777_216 }),
    /** Of the blob. */
    bytes: Type.Integer({ minimum: 0, maximum: 16_777_216 }),
  },
  closed,
);
export type ContentRef = Static<typeof ContentRef>;

/** How a call ended. `content` is what the model reads: JSON text, or plain text; with `contentRef` it is only the beginning of that. */
export const ToolResult = Type.Object(
  {
    status: Type.Enum([...RESULT_STATUSES]),
    content: Type.String(),
    contentRef: Type.Optional(ContentRef),
    isError: Type.Boolean(),
    error: Type.Optional(ResultError),
    truncated: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(CallMetadata),
  },
  closed,
);
export type ToolResult = Static<typeof ToolResult>;

/** A result that explains the failure, with the class and the wording that the table has for its code. */
export function failedResult(
  code: string,
  message: string,
  extra: { retryAfter?: number; details?: readonly Problem[]; truncated?: boolean; retryable?: boolean } = {},
): ToolResult {
  const row = errorRow(code);
  const error: ResultError = {
    code,
    class: row.class,
    message,
    retryable: extra.retryable ?? row.retryable,
    ...(extra.retryAfter === undefined ? {} : { retryAfter: extra.retryAfter }),
    ...(extra.details === undefined ? {} : { details: extra.details.map((d) => ({ path: d.path, message: d.message })) }),
  };
  return {
    status: row.status,
    content: errorContent(error, extra.truncated),
    isError: true,
    error,
    ...(extra.truncated === undefined ? {} : { truncated: extra.truncated }),
  };
}

/** What the model reads of an error: `{error, class, message, retryable}` and what helps it act (X-14, E-09). */
export function errorContent(error: ResultError, truncated?: boolean): string {
  const { code, class: errorClass, message, retryable, retryAfter, details } = error;
  return JSON.stringify({
    error: code,
    class: errorClass,
    ...(errorClass === "ToolPolicyError" ? { reason: policyReason(code) } : {}),
    message,
    retryable,
    retryAfter,
    details,
    truncated,
  });
}

/** S1's reason for a refusal: a person's "no" is `APPROVAL_DENIED`. */
function policyReason(code: string): string {
  return code === "denied_by_user" ? "APPROVAL_DENIED" : code.toUpperCase();
}
