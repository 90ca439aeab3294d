import { ChainedRecord, ChainLink, CheckpointView } from "./audit-view.ts";
import { GrantClaims } from "./grant.ts";
import type { JsonObject } from "./json.ts";
import { Jwks, PublicJwk } from "./jwks.ts";
import { parser } from "./parse.ts";
import { ToolResult } from "./result.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;
const Hash = Type.String({ pattern: "^sha256-[A-Za-z0-9_-]{43}$" });
const AnyObject = Type.Unsafe<JsonObject>({ type: "object" });
const OrNull = <const T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** The two services that state a part of the evidence about a write. */
export const EVIDENCE_ISSUERS = ["tb-approvals", "tb-gateway"] as const;
export type EvidenceIssuer = (typeof EVIDENCE_ISSUERS)[number];

/** The payload of a service's statement about its part of the evidence. */
export const EvidenceClaims = Type.Object(
  {
    iss: Type.Enum([...EVIDENCE_ISSUERS]),
    callId: Type.String(),
    /** The hash of the canonical JSON of the part. */
    hash: Hash,
    /** The time of the statement, in milliseconds since 1970. */
    at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type EvidenceClaims = Static<typeof EvidenceClaims>;

/** A piece of a chain with a record of the approval, up to a signed checkpoint. Records of other approvals are shown as links only. */
export const EvidenceRecords = Type.Object(
  { records: Type.Array(Type.Union([ChainedRecord, ChainLink])), checkpoint: CheckpointView },
  closed,
);
export type EvidenceRecords = Static<typeof EvidenceRecords>;

/** The data that approvals has about a write. */
export const ApprovalPart = Type.Object(
  {
    callId: Type.String(),
    approvalId: Type.String(),
    tenant: Type.String(),
    /** The approval as it is stored: the facts of the request and of the card, the decisions and the outcome. */
    approval: AnyObject,
    /** The arguments that the grant covers, as canonical JSON text. It is empty for a refused request, because approvals does not keep its arguments. */
    arguments: Type.String(),
    /** The requester, as the gateway signed it. It is null if the store no longer has it. */
    origin: OrNull(AnyObject),
    /** The pinned definition with its signature. It is null if another definition has been pinned since. */
    pin: OrNull(AnyObject),
    /** The grant. `signed` is null while the grant is valid, because anybody who has it could use it. */
    grant: OrNull(Type.Object({ claims: GrantClaims, signed: OrNull(Type.String()) }, closed)),
    audit: Type.Array(EvidenceRecords),
    /** The keys that verify the gateway's signatures, and the receipts of the toolset. Approvals vouches for them. */
    gatewayKeys: Jwks,
    receiptKeys: Type.Array(PublicJwk),
  },
  closed,
);
export type ApprovalPart = Static<typeof ApprovalPart>;

/** The data about a call that the gateway shows. The agent wrote this data, so only the data that a worker's receipt covers is proven. */
export const CallPart = Type.Object(
  {
    callId: Type.String(),
    tenant: Type.String(),
    /** The call as the agent stored it, without secrets, arguments and result. */
    call: AnyObject,
    /** The result, or null if there is none. For a long result, `contentRef` names the whole text by its hash. */
    result: OrNull(ToolResult),
    /** The worker's receipt for the result, or null if no worker signed it. */
    receipt: OrNull(Type.String()),
  },
  closed,
);
export type CallPart = Static<typeof CallPart>;

/** The answer of approvals to a request for evidence. */
export const ApprovalEvidence = Type.Object(
  {
    part: ApprovalPart,
    statement: Type.String(),
    keys: Jwks,
    /** False while the newest record of the approval is not in the chain yet. Chaining a record takes a few seconds. */
    chained: Type.Boolean(),
  },
  closed,
);
export type ApprovalEvidence = Static<typeof ApprovalEvidence>;

/** The answer of the gateway to a request for evidence. */
export const CallEvidence = Type.Object({ part: CallPart, statement: Type.String() }, closed);
export type CallEvidence = Static<typeof CallEvidence>;

export const EVIDENCE_FORMAT = "toolbus-evidence/1";

/**
 * The file that `toolbus evidence` writes, as canonical JSON. `keys` are the public keys of approvals, and the proof of every other part depends on
 * them.
 */
export const EvidenceFile = Type.Object(
  {
    format: Type.Literal(EVIDENCE_FORMAT),
    approvals: Type.Object({ part: ApprovalPart, statement: Type.String() }, closed),
    gateway: OrNull(CallEvidence),
    keys: Type.Object({ keys: Type.Array(PublicJwk, { minItems: 1, maxItems: 64 }) }, closed),
    /** The hash of the canonical JSON of everything else. It detects damage in transit. It proves nothing against an attacker. */
    checksum: Hash,
  },
  closed,
);
export type EvidenceFile = Static<typeof EvidenceFile>;

export const parseEvidenceClaims = parser(EvidenceClaims);
export const parseEvidenceFile = parser(EvidenceFile);
