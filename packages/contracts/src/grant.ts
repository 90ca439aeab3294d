import { type Static, Type } from "./schema.ts";
import { ID_PATTERNS } from "./ids.ts";
import { PlanRef } from "./plan.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;
const CallId = Type.String({ pattern: ID_PATTERNS.call });
const ToolName = Type.String({ minLength: 1, maxLength: 128 });
const Toolset = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
const Hash = Type.String({ pattern: "^sha256-[A-Za-z0-9_-]{43}$" });
// White space at either end is refused, because one person would otherwise appear as two.
const Subject = Type.String({ maxLength: 200, pattern: "^\\S(?:.*\\S)?$" });
// The limit of eleven digits refuses a time in milliseconds that a caller passed by mistake. A grant with such a time would almost never expire.
const Seconds = Type.Integer({ minimum: 0, maximum: 99_999_999_999 });
const Milliseconds = Type.Integer({ minimum: 0 });

/** The service that signs grants. */
export const GRANT_ISSUER = "tb-approvals";

/** Returns the audience of a grant, which is the workers of one toolset. */
export const grantAudience = (toolset: string): string => `tb-executor:${toolset}`;

/** The payload of a grant. It permits one write to run once, with these arguments and this definition of the tool. */
export const GrantClaims = Type.Object(
  {
    iss: Type.Literal(GRANT_ISSUER),
    aud: Type.String({ pattern: `^tb-executor:${Toolset}$` }),
    /** The approval's id. It does not change if the grant is signed again. */
    jti: Type.String({ pattern: ID_PATTERNS.approval }),
    /** `iat`, `nbf` and `exp` are seconds since 1970, as in every JWT. */
    iat: Seconds,
    nbf: Seconds,
    exp: Seconds,
    era: Type.Integer({ minimum: 1 }),
    tenant: Type.String({ minLength: 1, maxLength: 64 }),
    runId: Type.String({ pattern: ID_PATTERNS.run }),
    callId: CallId,
    tool: ToolName,
    toolVersion: Type.String({ minLength: 1, maxLength: 32 }),
    toolHash: Hash,
    argsHash: Hash,
    tier: Type.Enum([...TIERS]),
    requester: Subject,
    /** `at` is in milliseconds since 1970. `via` is the channel of the decision. */
    approvers: Type.Array(Type.Object({ sub: Subject, at: Milliseconds, via: Type.String({ minLength: 1, maxLength: 32 }) }, closed), {
      maxItems: 16,
    }),
    /** The number of distinct approvers that were required. */
    need: Type.Integer({ minimum: 0, maximum: 16 }),
    ticket: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    /** The plan that was approved. The worker executes the write only if its plan is still the same. */
    plan: Type.Optional(PlanRef),
  },
  closed,
);
export type GrantClaims = Static<typeof GrantClaims>;

const aCall = {
  callId: CallId,
  toolset: Type.String({ pattern: `^${Toolset}$` }),
  tool: ToolName,
  toolHash: Hash,
  argsHash: Hash,
} as const;

/** The payload of a receipt. In a receipt, a worker states what it did for one call. The key of its toolset signs the statement. */
export const ReceiptClaims = Type.Object(
  {
    ...aCall,
    /** The number of the attempt. It is 0 if no attempt began, for example because the arguments are not valid. */
    fence: Type.Integer({ minimum: 0 }),
    /** The hash of the whole content, for evidence. */
    resultHash: Hash,
    /** The hash of the whole answer with its status and error, so that nobody can present a success as a failure. */
    answerHash: Hash,
    /** The time of the receipt in milliseconds since 1970. */
    at: Milliseconds,
  },
  closed,
);
export type ReceiptClaims = Static<typeof ReceiptClaims>;

/**
 * The payload of a sending proof. In this proof, an attempt states the value that it is about to send. The key of its toolset signs the statement. A
 * later attempt sends exactly the same value.
 */
export const SendingClaims = Type.Object(
  {
    ...aCall,
    /** The approval whose grant allows the write. */
    jti: Type.String({ pattern: ID_PATTERNS.approval }),
    /** The attempt that sent first. Later attempts have higher numbers and sign nothing. */
    fence: Type.Integer({ minimum: 1 }),
    /** The hash of the prepared value's JSON text. */
    preparedHash: Hash,
    /**
     * The time when the value was sent, in milliseconds since 1970 by the store's clock. It is needed because a target keeps an idempotency key for a
     * limited time.
     */
    at: Milliseconds,
  },
  closed,
);
export type SendingClaims = Static<typeof SendingClaims>;

/**
 * The payload of a proof of a plan. In this proof, a worker states what a write would change. The key of its toolset signs the statement. The proof
 * permits nothing.
 */
export const PlanClaims = Type.Object(
  {
    ...aCall,
    /** The hash of the plan, or of the problem that prevented a plan. */
    planHash: Hash,
    /** The round of the plan in a grant. It is present if the worker found that the target has changed since that plan. */
    drifted: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
    /** The time of the plan in milliseconds since 1970. */
    at: Milliseconds,
  },
  closed,
);
export type PlanClaims = Static<typeof PlanClaims>;
