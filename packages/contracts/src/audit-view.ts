import { GRANT_ISSUER } from "./grant.ts";
import type { JsonObject } from "./json.ts";
import { Jwks, PublicJwk } from "./jwks.ts";
import { declaredQuery, parser } from "./parse.ts";
import { ID_PATTERNS } from "./ids.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;
const Hash = Type.String({ pattern: "^sha256-[A-Za-z0-9_-]{43}$" });
const OrNull = <const T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** The two kinds of chains. Events that belong to no tenant (pins, the era) are in a separate chain. */
export const CHAINS = ["tenant", "system"] as const;
export type ChainKind = (typeof CHAINS)[number];

/** The fields of a chained record that its hash covers. `content` is the hash of the rest of the record. */
const link = {
  /** The number of the record in its chain, from 1. */
  n: Type.Integer({ minimum: 1 }),
  /** The time when the record was chained, in milliseconds since 1970 by the store's clock. The time of the event is inside the record. */
  at: Type.Integer({ minimum: 0 }),
  /** The tenant of the chain, or null for the chain of events without a tenant. */
  tenant: OrNull(Type.String()),
  /** The hash of the previous record. It is null for the first record. */
  previous: OrNull(Hash),
  content: Hash,
  hash: Hash,
} as const;

/** A record of a chain without its content. It proves its place in the chain and shows nothing else. */
export const ChainLink = Type.Object(link, closed);
export type ChainLink = Static<typeof ChainLink>;

/** A record of a chain. */
export const ChainedRecord = Type.Object(
  {
    ...link,
    /** The place of the record in the log of its shard, from which it was copied. */
    source: Type.Object({ shard: Type.String({ pattern: ID_PATTERNS.shard }), sequence: Type.Integer({ minimum: 0 }) }, closed),
    /**
     * True if the record had the seal of approvals when it was chained. False means that a version without seals wrote it, or that somebody else with
     * write access to the store did.
     */
    attested: Type.Boolean(),
    record: Type.Unsafe<JsonObject>({ type: "object" }),
  },
  closed,
);
export type ChainedRecord = Static<typeof ChainedRecord>;

/** The statement of a checkpoint: the chain had this record with this hash at this time. `signed` is the same statement, signed by approvals. */
export const CheckpointView = Type.Object(
  { tenant: OrNull(Type.String()), n: Type.Integer({ minimum: 1 }), hash: Hash, at: Type.Integer({ minimum: 0 }), signed: Type.String() },
  closed,
);
export type CheckpointView = Static<typeof CheckpointView>;

/** The first line of an export of the audit. */
export const ExportHeader = Type.Object(
  {
    format: Type.Literal("toolbus-audit/1"),
    tenant: OrNull(Type.String()),
    keys: Type.Object({ keys: Type.Array(PublicJwk, { minItems: 1, maxItems: 64 }) }, closed),
  },
  closed,
);
export type ExportHeader = Static<typeof ExportHeader>;

/** The payload of a checkpoint, which approvals signs. */
export const CheckpointClaims = Type.Object(
  {
    iss: Type.Literal(GRANT_ISSUER),
    tenant: OrNull(Type.String()),
    n: Type.Integer({ minimum: 1 }),
    hash: Hash,
    at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type CheckpointClaims = Static<typeof CheckpointClaims>;

export const AuditPage = Type.Object(
  {
    records: Type.Array(ChainedRecord),
    /** The end of the chain. It is null while the chain is empty. */
    head: OrNull(Type.Object({ n: Type.Integer({ minimum: 1 }), hash: Hash }, closed)),
    cursor: Type.Optional(Type.String()),
  },
  closed,
);
export type AuditPage = Static<typeof AuditPage>;

export const CheckpointPage = Type.Object(
  {
    checkpoints: Type.Array(CheckpointView),
    /** The public keys of approvals, which verify the checkpoints. */
    keys: Jwks,
    cursor: Type.Optional(Type.String()),
  },
  closed,
);
export type CheckpointPage = Static<typeof CheckpointPage>;

const chain = Type.Optional(
  Type.Enum([...CHAINS], { description: "the chain of the caller's tenant (the default), or of events without a tenant" }),
);
const cursor = Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "continues after the previous page" }));
const order = Type.Optional(Type.Enum(["asc", "desc"], { description: "oldest first (the default) or newest first" }));

export const auditQuery = declaredQuery(
  "AuditQuery",
  Type.Object(
    {
      chain,
      since: Type.Optional(Type.Integer({ minimum: 0, description: "only events from this time on, in milliseconds since 1970" })),
      until: Type.Optional(Type.Integer({ minimum: 0, description: "only events up to this time, in milliseconds since 1970" })),
      tool: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: "only records of this tool" })),
      event: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "only this event, such as `approved`" })),
      approval: Type.Optional(Type.String({ pattern: ID_PATTERNS.approval, description: "only records of this approval" })),
      order,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "the largest number of records on the page" })),
      cursor,
    },
    closed,
  ),
);

export const checkpointsQuery = declaredQuery(
  "CheckpointsQuery",
  Type.Object(
    {
      chain,
      order,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "the largest number of checkpoints on the page" })),
      cursor,
    },
    closed,
  ),
);

export const parseChainedRecord = parser(ChainedRecord);
export const parseCheckpoint = parser(CheckpointView);
export const parseExportHeader = parser(ExportHeader);
