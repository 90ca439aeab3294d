import type { RunRecord } from "@toolbus/contracts";

/** The kinds of runs that a replay must play again. */
export const KINDS = [
  "read",
  "write granted by policy",
  "write granted by people",
  "denied",
  "revised",
  "edited",
  "model call retried",
  "cancelled",
  "failed",
  "seed round",
  "later run of a conversation",
  "queued",
  "question",
] as const;
export type Kind = (typeof KINDS)[number];

/** Returns the kinds that a run is of. */
export function kindsOf({ run, events, calls }: RunRecord): readonly Kind[] {
  const decided = events.flatMap((event) => (event.type === "call.decided" ? [event] : []));
  const has = (type: (typeof events)[number]["type"]): boolean => events.some((event) => event.type === type);
  const is: Readonly<Record<Kind, boolean>> = {
    read: calls.some(({ kind, result }) => kind === "read" && result?.status === "ok"),
    "write granted by policy": decided.some(({ outcome, decidedBy }) => outcome === "approved" && decidedBy.includes("policy")),
    "write granted by people": decided.some(({ outcome, decidedBy }) => outcome === "approved" && !decidedBy.includes("policy")),
    denied: decided.some(({ outcome }) => outcome === "rejected"),
    revised: decided.some(({ outcome }) => outcome === "revision_requested"),
    edited: decided.some(({ changes }) => changes !== undefined),
    "model call retried": has("model.retry"),
    cancelled: has("run.cancelled"),
    failed: has("run.failed"),
    "seed round": events.some((event) => event.type === "turn" && event.seed),
    "later run of a conversation": run.ordinal > 1 && run.startedAt !== null,
    queued: has("run.queued"),
    question: has("call.asked"),
  };
  return KINDS.filter((kind) => is[kind]);
}
