import { isJsonObject, type Json } from "@toolbus/contracts";

/**
 * What the store keeps about a call that runs again after an attempt that never ended properly. If the mark is still there when the call comes once more,
 * the worker that wrote it went down with the call.
 */
export interface CrashMark {
  /** The worker process that runs it. */
  readonly by: string;
  /** How many workers went down with it, according to their marks; the first attempt leaves none. */
  readonly deaths: number;
  /** Nothing else ran in that process, so nothing else can have taken it down. */
  readonly alone: boolean;
  /** When it began, and how long its worker counts as alive without another heartbeat, by the store's clock. */
  readonly since: number;
  readonly until: number;
}

export interface Suspicious {
  readonly mark: CrashMark | null;
  /** This worker process. */
  readonly self: string;
  readonly now: number;
  readonly ownersDeadBefore: number;
}

export type Judgement =
  /** It may run. */
  | { readonly kind: "run"; readonly deaths: number }
  /** Another worker runs it, and lives. */
  | { readonly kind: "busy"; readonly forMs: number }
  /** It has taken its workers down, and runs no more. */
  | { readonly kind: "quarantined"; readonly deaths: number };

/** One worker may go down at any time, for any reason; with the first, which leaves no mark, they are three. */
export const ENOUGH_DEATHS = 2;
/** This many deaths are enough if other calls ran beside it, each of which might have been the cause. */
export const MOST_DEATHS = 4;

/** What to do with a call that was delivered, or sent, before. */
export function judge({ mark, self, now, ownersDeadBefore }: Suspicious): Judgement {
  // Its former worker may have gone down, handed it back, or lost its connection; a message may have been lost on its way.
  if (mark === null) return { kind: "run", deaths: 0 };
  // This process is alive, so its own mark is left from an attempt whose end could not be recorded.
  if (mark.by === self) return { kind: "run", deaths: mark.deaths };
  // A broker also redelivers messages of a worker that is alive. A store with an exclusive lock knows who died.
  if (mark.until > now && mark.since >= ownersDeadBefore) return { kind: "busy", forMs: mark.until - now };
  const deaths = mark.deaths + 1;
  return (mark.alone && deaths >= ENOUGH_DEATHS) || deaths >= MOST_DEATHS ? { kind: "quarantined", deaths } : { kind: "run", deaths };
}

/** Null if the value is not a mark. */
export function crashMarkOf(value: Json | undefined): CrashMark | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const { by, deaths, alone, since, until } = value;
  const readable =
    typeof by === "string" && typeof alone === "boolean" && [deaths, since, until].every((number) => Number.isSafeInteger(number));
  return readable ? (value as unknown as CrashMark) : null;
}
