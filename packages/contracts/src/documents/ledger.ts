import { type Static, Type } from "../schema.ts";
import type { Json } from "../json.ts";
import { parser } from "../parse.ts";
import { ToolResult } from "../result.ts";

const closed = { additionalProperties: false } as const;

/** A right to act for a while. `since` distinguishes owners that died before the store was taken over (its `ownersDeadBefore`) from living ones. */
export const Lease = Type.Object({ by: Type.String(), since: Type.Integer(), until: Type.Integer() }, closed);
export type Lease = Static<typeof Lease>;

/**
 * What a worker did for one write: begun, sending (the point of no return, with the value that is sent) or done. The state only moves forward. Family
 * `ledger.<toolset>`, written by workers of that toolset, read by the agent.
 */
export const LedgerRow = Type.Object(
  {
    callId: Type.String(),
    toolName: Type.String(),
    toolHash: Type.String(),
    argsHash: Type.String(),
    state: Type.Enum(["begun", "sending", "done"]),
    /** Rises with every attempt; only the holder of the current one may write. */
    fence: Type.Integer({ minimum: 1 }),
    lease: Type.Union([Lease, Type.Null()]),
    /** The approval whose grant bound this row. */
    jti: Type.String(),
    beganAt: Type.Integer(),
    sendingAt: Type.Optional(Type.Integer()),
    prepared: Type.Optional(Type.Unsafe<Json>({})),
    /** In the state sending: a JWS by the toolset's own key over the value that is sent, made by the attempt that sent it. */
    proof: Type.Optional(Type.String({ maxLength: 8192 })),
    doneAt: Type.Optional(Type.Integer()),
    result: Type.Optional(ToolResult),
    /** In the state done: a JWS by the toolset's own key over what it did. A row without the signature of its state proves nothing. */
    receipt: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type LedgerRow = Static<typeof LedgerRow>;
export const parseLedgerRow = parser(LedgerRow);
