import { type Call, LedgerNote } from "./documents/agent.ts";
import { RESULT_STATUSES } from "./error-codes.ts";
import type { RunEvent } from "./events.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

/** A call that has ended, for people who were not there. */
export const EndedCall = Type.Object(
  {
    callId: Type.String(),
    tool: Type.String(),
    /** Absent of a call that is kept no longer. */
    kind: Type.Optional(Type.Enum(["read", "compute", "write"])),
    /** What became of it, as far as it is known now: a write that is `ok` happened, `outcome_unknown` may have, all others did not. */
    outcome: Type.Enum([...RESULT_STATUSES]),
    /** When the outcome became known, if the call had ended as `outcome_unknown`. */
    settledAt: Type.Optional(Type.Integer()),
    /** Of an unknown outcome: until when the agent looks whether the worker's ledger says it. Absent: nobody can know it any more. */
    followedUntil: Type.Optional(Type.Integer()),
    /** Of an unknown outcome: what the worker's ledger said last. */
    ledger: Type.Optional(LedgerNote),
    /** Who let it happen: people, or `policy`; absent where nobody had to. */
    approvedBy: Type.Optional(Type.Array(Type.String())),
    approvalId: Type.Optional(Type.String()),
    /** What a write does, in the words of its tool; null if it changes nothing, or is kept no longer. */
    effect: Type.Union([Type.String(), Type.Null()]),
  },
  closed,
);
export type EndedCall = Static<typeof EndedCall>;

/** What is said of a call by the event of its end, and by its document where that is still kept. `shown` is the effect that approvers saw. */
export function endedCall(
  { callId, tool, status }: Extract<RunEvent, { readonly type: "call.resolved" }>,
  call: Call | null,
  shown: string | undefined,
): EndedCall {
  const { kind, approvedBy, approvalId, settled, followUntil, ledger } = call ?? {};
  const outcome = settled?.status ?? status;
  const effect = kind === "write" ? (shown ?? call?.effect ?? `Runs the tool "${tool}".`) : null;
  return {
    callId,
    tool,
    ...(kind === undefined ? {} : { kind }),
    outcome,
    ...(settled === undefined ? {} : { settledAt: settled.at }),
    ...(followUntil === undefined || settled !== undefined ? {} : { followedUntil: followUntil }),
    ...(ledger === undefined || outcome !== "outcome_unknown" ? {} : { ledger }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
    ...(approvalId === undefined ? {} : { approvalId }),
    effect: effect ?? shown ?? null,
  };
}

/** Writes that happened first, then those that may have, then all others, each in the order in which they ended. */
export function writesFirst(calls: readonly EndedCall[]): EndedCall[] {
  return calls.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ kind, outcome }: EndedCall): number {
  if (kind !== "write") return 2;
  return outcome === "ok" ? 0 : outcome === "outcome_unknown" ? 1 : 2;
}
