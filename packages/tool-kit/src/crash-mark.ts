import { isJsonObject, type Json } from "@toolbus/contracts";

/**
 * What the store keeps of a call while it runs again after an attempt that never ended in order. A mark that is still there when the call comes once more says
 * that the worker which wrote it went down with the call.
 */
export interface CrashMark {
  /** The worker process that runs it. */
  readonly by: string;
  /** How many workers went down with it, as their marks say; the first leaves none. */
  readonly deaths: number;
  /** Nothing else ran in that process, so nothing else can have taken it down. */
  readonly alone: boolean;
  /** When it began, and how long its worker counts as alive without another sign, by the store's clock. */
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

/** One may go down at any time, for any reason; with the first, which leaves no mark, they are three. */
export const ENOUGH_DEATHS = 2;
/** So many deaths are enough where other calls ran beside it, each of which might have been the cause. */
export const MOST_DEATHS = 4;

/** What becomes of a call that was delivered, or sent, before. */
export function judge({ mark, self, now, ownersDeadBefore }: Suspicious): Judgement {
  // Whoever had it before may have gone down, handed it back, or lost its connection; a message may have been lost on its way.
  if (mark === null) return { kind: "run", deaths: 0 };
  // This process lives, so what it wrote is left of an attempt whose end could not be noted.
  if (mark.by === self) return { kind: "run", deaths: mark.deaths };
  // A broker also takes messages back from a worker that lives. A store with an exclusive lock knows who died.
  if (mark.until > now && mark.since >= ownersDeadBefore) return { kind: "busy", forMs: mark.until - now };
  const deaths = mark.deaths + 1;
  return (mark.alone && deaths >= ENOUGH_DEATHS) || deaths >= MOST_DEATHS ? { kind: "quarantined", deaths } : { kind: "run", deaths };
}

/** Null for what is none. */
export function crashMarkOf(value: Json | undefined): CrashMark | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const { by, deaths, alone, since, until } = value;
  const readable =
    typeof by === "string" && typeof alone === "boolean" && [deaths, since, until].every((number) => Number.isSafeInteger(number));
  return readable ? (value as unknown as CrashMark) : null;
}
