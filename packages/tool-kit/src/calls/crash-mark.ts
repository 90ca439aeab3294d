import { isJsonObject, type Json } from "@toolbus/contracts";

/**
 * The store's record of a call that runs again after an attempt that did not end properly. If the mark still exists when the call arrives once more,
 * the worker that wrote the mark crashed during the call.
 */
export interface CrashMark {
  /** The worker process that runs the call. */
  readonly by: string;
  /** The number of workers that crashed during the call, according to their marks. The first attempt of a call that was sent once leaves no mark. */
  readonly deaths: number;
  /** True if no other call ran in that process, so no other call can have crashed it. */
  readonly alone: boolean;
  /** The start of the attempt, in the store's time. Until `until`, the worker is considered alive even without another heartbeat. */
  readonly since: number;
  readonly until: number;
}

export interface Suspicious {
  readonly mark: CrashMark | null;
  /** The id of this worker process. */
  readonly self: string;
  readonly now: number;
  readonly ownersDeadBefore: number;
}

export type Judgement =
  /** The call may run. */
  | { readonly kind: "run"; readonly deaths: number }
  /** Another worker runs the call, and is alive. */
  | { readonly kind: "busy"; readonly forMs: number }
  /** The call crashed its workers, and does not run again. */
  | { readonly kind: "quarantined"; readonly deaths: number };

/**
 * Two marked crashes are enough if no other call ran at the same time. A single crash may have any cause. Usually the first crash leaves no mark, so
 * there were three. If the agent had sent the call again before, every attempt leaves a mark, and there were two.
 */
export const ENOUGH_DEATHS = 2;
/** This many crashes are enough even if other calls ran at the same time, each of which might have been the cause. */
export const MOST_DEATHS = 4;

/** Decides what to do with a call that was delivered or sent before. */
export function judge({ mark, self, now, ownersDeadBefore }: Suspicious): Judgement {
  // The previous worker may have crashed, returned the call, or lost its connection. A message may also have been lost.
  if (mark === null) return { kind: "run", deaths: 0 };
  // This process is alive, so its own mark remains from an attempt whose end could not be recorded.
  if (mark.by === self) return { kind: "run", deaths: mark.deaths };
  // A broker also redelivers messages of a worker that is alive. A store with an exclusive lock knows which workers died.
  if (mark.until > now && mark.since >= ownersDeadBefore) return { kind: "busy", forMs: mark.until - now };
  const deaths = mark.deaths + 1;
  return (mark.alone && deaths >= ENOUGH_DEATHS) || deaths >= MOST_DEATHS ? { kind: "quarantined", deaths } : { kind: "run", deaths };
}

/** Returns the mark in a value, or null if the value is not a mark. */
export function crashMarkOf(value: Json | undefined): CrashMark | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const { by, deaths, alone, since, until } = value;
  const readable =
    typeof by === "string" && typeof alone === "boolean" && [deaths, since, until].every((number) => Number.isSafeInteger(number));
  return readable ? (value as unknown as CrashMark) : null;
}
