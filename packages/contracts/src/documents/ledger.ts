import { type Static, Type } from "../schema.ts";
import type { Json } from "../json.ts";
import { parser } from "../parse.ts";
import { ToolResult } from "../result.ts";

const closed = { additionalProperties: false } as const;

/** The right to act for a limited time. If `since` is before the store's `ownersDeadBefore`, the owner of the lease is dead. */
export const Lease = Type.Object({ by: Type.String(), since: Type.Integer(), until: Type.Integer() }, closed);
export type Lease = Static<typeof Lease>;

/**
 * The record of one write in the ledger. Its state is begun, sending or done, and only moves forward. Sending is the point of no return, and the row
 * then contains the value that is sent. Workers of the toolset write it to the family `ledger.<toolset>`, and the agent reads it.
 */
export const LedgerRow = Type.Object(
  {
    callId: Type.String(),
    toolName: Type.String(),
    toolHash: Type.String(),
    argsHash: Type.String(),
    state: Type.Enum(["begun", "sending", "done"]),
    /** The number of the current attempt. Only the current attempt may write, and each new attempt has a higher number. */
    fence: Type.Integer({ minimum: 1 }),
    lease: Type.Union([Lease, Type.Null()]),
    /** The approval whose grant allowed this write. */
    jti: Type.String(),
    beganAt: Type.Integer(),
    /** The lowest round of a plan with which this write may still begin. It is present if the target had changed since an earlier plan was approved. */
    planRound: Type.Optional(Type.Integer({ minimum: 2, maximum: 65 })),
    sendingAt: Type.Optional(Type.Integer()),
    prepared: Type.Optional(Type.Unsafe<Json>({})),
    /**
     * The proof in the state sending. It is a JWS by the toolset's own key over the value that is sent. The attempt that sent the value signed it.
     */
    proof: Type.Optional(Type.String({ maxLength: 8192 })),
    doneAt: Type.Optional(Type.Integer()),
    result: Type.Optional(ToolResult),
    /** The proof in the state done. It is a JWS by the toolset's own key over the result. A row without the signature of its state proves nothing. */
    receipt: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type LedgerRow = Static<typeof LedgerRow>;
export const parseLedgerRow = parser(LedgerRow);
