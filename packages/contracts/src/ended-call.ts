import { ArgumentChange } from "./argument-changes.ts";
import { type Call, LedgerNote } from "./documents/agent.ts";
import { RESULT_STATUSES } from "./error-codes.ts";
import type { RunEvent } from "./events.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

/** A call that has ended, described for people who did not follow the run. */
export const EndedCall = Type.Object(
  {
    callId: Type.String(),
    tool: Type.String(),
    /** The kind of the tool. It is absent if the call's document has expired. */
    kind: Type.Optional(Type.Enum(["read", "compute", "write"])),
    /** The latest known outcome. A write with `ok` happened, a write with `outcome_unknown` may have happened, and any other write did not happen. */
    outcome: Type.Enum([...RESULT_STATUSES]),
    /** The time when the outcome became known, if the call had ended as `outcome_unknown`. */
    settledAt: Type.Optional(Type.Integer()),
    /** The time until which the agent looks for an unknown outcome in the worker's ledger. It is absent if nobody can learn the outcome any more. */
    followedUntil: Type.Optional(Type.Integer()),
    /** How often the agent sent the call to a worker, if more than once, because a worker died or did not answer in time. */
    sent: Type.Optional(Type.Integer({ minimum: 2 })),
    /** The last record of the worker's ledger for a write of unknown outcome. */
    ledger: Type.Optional(LedgerNote),
    /** The people who approved the write, or `policy`. The field is absent if nobody had to approve it. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    approvalId: Type.Optional(Type.String()),
    /**
     * The effect of a write, from the `effect` text of its tool. It is null for a call that changes nothing, and may be null if the call's document
     * has expired.
     */
    effect: Type.Union([Type.String(), Type.Null()]),
    /** The arguments that an approver changed before the write was executed. The field is absent if nobody changed any. */
    changes: Type.Optional(Type.Array(ArgumentChange)),
  },
  closed,
);
export type EndedCall = Static<typeof EndedCall>;

/**
 * Returns the facts about an ended call from the event of its end, and from its document if the document still exists. `shown` is the effect that
 * approvers saw last.
 */
export function endedCall(
  { callId, tool, status }: Extract<RunEvent, { readonly type: "call.resolved" }>,
  call: Call | null,
  shown: string | undefined,
): EndedCall {
  const { kind, approvedBy, approvalId, settled, followUntil, ledger, asked, dispatch = 0 } = call ?? {};
  const outcome = settled?.status ?? status;
  const effect = kind === "write" ? (shown ?? call?.effect ?? `Runs the tool "${tool}".`) : null;
  return {
    callId,
    tool,
    ...(kind === undefined ? {} : { kind }),
    outcome,
    ...(settled === undefined ? {} : { settledAt: settled.at }),
    ...(followUntil === undefined || settled !== undefined ? {} : { followedUntil: followUntil }),
    ...(dispatch > 1 ? { sent: dispatch } : {}),
    ...(ledger === undefined || outcome !== "outcome_unknown" ? {} : { ledger }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
    ...(approvalId === undefined ? {} : { approvalId }),
    effect: effect ?? shown ?? null,
    ...(asked === undefined ? {} : { changes: asked.changes }),
  };
}

/**
 * Returns the writes that happened, then the writes that may have happened, then all other calls. Each group is in the order in which the calls
 * ended.
 */
export function writesFirst(calls: readonly EndedCall[]): EndedCall[] {
  return calls.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ kind, outcome }: EndedCall): number {
  if (kind !== "write") return 2;
  return outcome === "ok" ? 0 : outcome === "outcome_unknown" ? 1 : 2;
}
