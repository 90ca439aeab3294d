import { type Static, Type } from "./schema.ts";
import { ID_PATTERNS } from "./ids.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;
const CallId = Type.String({ pattern: ID_PATTERNS.call });
const ToolName = Type.String({ minLength: 1, maxLength: 128 });
const Toolset = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
const Hash = Type.String({ pattern: "^sha256-[A-Za-z0-9_-]{43}$" });
// White space at either end would turn one person into two.
const Subject = Type.String({ maxLength: 200, pattern: "^\\S(?:.*\\S)?$" });
// Eleven digits: a time in milliseconds, passed by mistake, is refused instead of being valid for ever.
const Seconds = Type.Integer({ minimum: 0, maximum: 99_999_999_999 });
const Milliseconds = Type.Integer({ minimum: 0 });

/** Who signs grants. */
export const GRANT_ISSUER = "tb-approvals";

/** Who a grant is for: the workers of one toolset. */
export const grantAudience = (toolset: string): string => `tb-executor:${toolset}`;

/** The payload of a grant: permission to run one write, once, with these arguments, under this definition of the tool. */
export const GrantClaims = Type.Object(
  {
    iss: Type.Literal(GRANT_ISSUER),
    aud: Type.String({ pattern: `^tb-executor:${Toolset}$` }),
    /** The approval's id; the same if the grant is signed again. */
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
    /** `at` is in milliseconds since 1970, `via` the channel of the decision. */
    approvers: Type.Array(Type.Object({ sub: Subject, at: Milliseconds, via: Type.String({ minLength: 1, maxLength: 32 }) }, closed), {
      maxItems: 16,
    }),
    /** How many distinct approvers were required. */
    need: Type.Integer({ minimum: 0, maximum: 16 }),
    ticket: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
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

/** The payload of a receipt: what a worker states, under its toolset's own key, that it did for one call. */
export const ReceiptClaims = Type.Object(
  {
    ...aCall,
    /** The attempt; 0 if nothing began, for example because the arguments are not valid. */
    fence: Type.Integer({ minimum: 0 }),
    /** Of the whole content, for evidence. */
    resultHash: Hash,
    /** Of the whole answer, including its status and error, so that a success cannot be passed off as a failure. */
    answerHash: Hash,
    /** Milliseconds since 1970. */
    at: Milliseconds,
  },
  closed,
);
export type ReceiptClaims = Static<typeof ReceiptClaims>;

/** The payload of a sending proof: what an attempt is about to send, under its toolset's own key. An attempt that takes over sends exactly this. */
export const SendingClaims = Type.Object(
  {
    ...aCall,
    /** The approval whose grant allows it. */
    jti: Type.String({ pattern: ID_PATTERNS.approval }),
    /** The attempt that sent first. Those that take over have higher numbers and sign nothing. */
    fence: Type.Integer({ minimum: 1 }),
    /** Of the prepared value's JSON text. */
    preparedHash: Hash,
    /** When it was sent, by the store's clock, because a target keeps a key for a limited time. Milliseconds since 1970. */
    at: Milliseconds,
  },
  closed,
);
export type SendingClaims = Static<typeof SendingClaims>;
