import { type Static, Type } from "typebox";
import { DECISIONS } from "./documents/approval.ts";
import { jsonParser, parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/** `POST /v1/investigations`. */
export const InvestigationRequest = Type.Object(
  {
    /** The release to investigate, as its release API knows it. */
    releaseId: Type.String({ minLength: 1, maxLength: 200, pattern: "^[^\\u0000-\\u001f]+$" }),
    /** What else the agent should know. */
    note: Type.Optional(Type.String({ maxLength: 4000 })),
  },
  closed,
);
export type InvestigationRequest = Static<typeof InvestigationRequest>;
export const parseInvestigationRequest = parser(InvestigationRequest);

/** `POST /v1/approvals/{id}/decision`. */
export const DecisionRequest = Type.Object(
  {
    decision: Type.Enum([...DECISIONS]),
    /** The single-use token that `GET /v1/approvals/{id}` gave this approver. */
    token: Type.String({ minLength: 16, maxLength: 200 }),
    comment: Type.Optional(Type.String({ maxLength: 2000 })),
    /** Needed for critical writes. */
    ticket: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  },
  closed,
);
export type DecisionRequest = Static<typeof DecisionRequest>;
export const parseDecisionRequest = parser(DecisionRequest);

/** What a role may do: a user starts and follows runs, an operator sees all of the tenant, an approver decides (approvals only). */
export const ROLES = ["user", "operator", "approver"] as const;
export type Role = (typeof ROLES)[number];

/** One API key, kept as its SHA-256: an entry of the file that `API_KEYS_FILE` names. */
export const ApiKey = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64 }),
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    principal: Type.String({ minLength: 1, maxLength: 200 }),
    tenant: Type.String({ minLength: 1, maxLength: 64 }),
    roles: Type.Array(Type.Enum([...ROLES]), { minItems: 1 }),
    scopes: Type.Array(Type.String(), { maxItems: 64 }),
  },
  closed,
);
export type ApiKey = Static<typeof ApiKey>;

export const parseApiKeys = jsonParser(Type.Array(ApiKey));

/** RFC 9457. `remedy` says what to do. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly remedy?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}
