import { parser } from "../parse.ts";
import { type Static, Type } from "../schema.ts";
import { DocumentSeal } from "./approval.ts";

const closed = { additionalProperties: false } as const;
const seal = Type.Optional(DocumentSeal);

/** The end of one chain. Approvals writes it to the family `audit`, in the commit that adds records to the chain. */
export const ChainHead = Type.Object(
  {
    /** The number of the last record. */
    n: Type.Integer({ minimum: 1 }),
    hash: Type.String(),
    at: Type.Integer(),
    seal,
  },
  closed,
);
export type ChainHead = Static<typeof ChainHead>;

/**
 * How far the log of one shard was copied into the chains. Approvals writes it to the family `audit`, in the commit that copies the records. So each
 * record is copied once.
 */
export const ChainPosition = Type.Object(
  {
    /** The sequence number of the last copied record. It is 0 if the log lost all its records. */
    sequence: Type.Integer({ minimum: 0 }),
    /** The hash of that record. If the log has another record there, the store has lost records. */
    hash: Type.String(),
    seal,
  },
  closed,
);
export type ChainPosition = Static<typeof ChainPosition>;

/**
 * The replica that copies records at the moment. The lease only avoids duplicate work. The chains are correct even without it, because the guards of
 * the commits protect them.
 */
export const ChainLease = Type.Object({ holder: Type.String(), since: Type.Integer(), until: Type.Integer() }, closed);
export type ChainLease = Static<typeof ChainLease>;

/** The numbers of the records of one approval in the chain of its tenant. The list only tells a reader where to look, and proves nothing. */
export const ChainedRecords = Type.Object({ numbers: Type.Array(Type.Integer({ minimum: 1 })) }, closed);
export type ChainedRecords = Static<typeof ChainedRecords>;

export const parseChainHead = parser(ChainHead);
export const parseChainPosition = parser(ChainPosition);
export const parseChainLease = parser(ChainLease);
export const parseChainedRecords = parser(ChainedRecords);
