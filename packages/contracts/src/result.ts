import { type Static, Type } from "./schema.ts";
import { errorRow, RESULT_STATUSES } from "./error-codes.ts";
import type { Problem } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** A failure, in words that the model can act on. */
export const ResultError = Type.Object(
  {
    code: Type.String({ maxLength: 64 }),
    class: Type.Enum(["ToolUserError", "ToolPolicyError", "ToolTransientError", "ToolTerminalError"]),
    message: Type.String({ maxLength: 4000 }),
    retryable: Type.Boolean(),
    /** The time before a retry, in seconds. */
    retryAfter: Type.Optional(Type.Number()),
    details: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }, closed), { maxItems: 16 })),
  },
  closed,
);
export type ResultError = Static<typeof ResultError>;

/** The usage of the models that a tool itself called. A call of unknown price has no cost. */
export const ToolModelUse = Type.Object(
  {
    calls: Type.Integer({ minimum: 1 }),
    inputTokens: Type.Integer({ minimum: 0 }),
    outputTokens: Type.Integer({ minimum: 0 }),
    /** The cost in millionths of a US dollar. */
    costMicroUsd: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  closed,
);
export type ToolModelUse = Static<typeof ToolModelUse>;

/** The metadata record of one call. It is logged and audited, and never contains arguments or content. */
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
    /** The number of questions to people that the worker stored under the call. It is absent if there are none. */
    questions: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  closed,
);
export type CallMetadata = Static<typeof CallMetadata>;

/**
 * A reference to a text that is too long for a message or a document. The UTF-8 of the text is a blob, which is stored before any reference to it.
 */
export const ContentRef = Type.Object(
  {
    blob: Type.String({ pattern: "^sha256-[0-9a-f]{64}$" }),
    /** The length of the whole text in UTF-16 code units. */
    chars: Type.Integer({ minimum: 0, maximum: 16_777_216 }),
    /** The size of the blob. */
    bytes: Type.Integer({ minimum: 0, maximum: 16_777_216 }),
  },
  closed,
);
export type ContentRef = Static<typeof ContentRef>;

/** The form of a media type without parameters, such as `image/png`. */
export const MEDIA_TYPE = "^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$";
/** The maximum number of media of one result. */
export const MAX_MEDIA = 16;

/**
 * A reference to a picture, a sound or a file that a tool returned beside its text. The bytes are a blob, which is stored before any reference to it.
 * The model does not get them. People get them from `GET /v1/calls/{id}/media`.
 */
export const MediaRef = Type.Object(
  {
    blob: Type.String({ pattern: "^sha256-[0-9a-f]{64}$" }),
    mediaType: Type.String({ pattern: MEDIA_TYPE }),
    bytes: Type.Integer({ minimum: 0, maximum: 16_777_216 }),
  },
  closed,
);
export type MediaRef = Static<typeof MediaRef>;

/** The result of a call. `content` is the JSON text or plain text that the model reads. With `contentRef` it is only the beginning of that text. */
export const ToolResult = Type.Object(
  {
    status: Type.Enum([...RESULT_STATUSES]),
    content: Type.String(),
    contentRef: Type.Optional(ContentRef),
    media: Type.Optional(Type.Array(MediaRef, { maxItems: MAX_MEDIA })),
    isError: Type.Boolean(),
    error: Type.Optional(ResultError),
    truncated: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(CallMetadata),
  },
  closed,
);
export type ToolResult = Static<typeof ToolResult>;

/** Returns a result that explains a failure. The table of error codes decides its class and status. */
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

/**
 * Returns the text that the model reads about an error. It has `{error, class, message, retryable}` and details that help the model act (X-14, E-09).
 */
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

/** Returns the reason for a refusal, in the words of specification S1 (docs/requirements.md). A denial by a person is `APPROVAL_DENIED`. */
function policyReason(code: string): string {
  return code === "denied_by_user" ? "APPROVAL_DENIED" : code.toUpperCase();
}
