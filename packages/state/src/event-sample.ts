/**
 * Decides which of many similar events are kept whole. The first of each kind in a minute are; the others are only counted, and their number is reported
 * when the minute is over. So somebody who causes thousands of events costs a bounded number of commits and lines, and no event is lost without being
 * counted.
 */
export interface EventSample {
  /** Counts one event. True: keep it whole. `about` is reported with the number, for the last event that was left out. */
  take(kind: string, about: EventPlace): boolean;
  /** An event that should have been kept whole could not be: it is counted among the others. */
  missed(kind: string, about: EventPlace): void;
  /** Reports the counts so far, and counts no further minute. Resolves when the report is done. Safe to use twice. */
  stop(): Promise<void>;
}

/** Where the number of omitted events is kept: the shard of the last of them. */
export interface EventPlace {
  readonly shard: string;
}

/** Events of one kind that were not kept whole. */
export interface LeftOut {
  readonly kind: string;
  readonly count: number;
  /** How long ago the first event of that minute came, in milliseconds. */
  readonly overMs: number;
  readonly shard: string;
}

export interface EventSampleOptions {
  /** How many of a kind are kept whole per minute. */
  readonly perMinute?: number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Stores the number. If it rejects, the number is reported with the next minute's. */
  readonly tell: (leftOut: LeftOut) => Promise<void>;
  /** How long a minute is, for tests. */
  readonly minuteMs?: number;
}

export const WHOLE_EVENTS_PER_MINUTE = 30;

// Kinds are our own words; those over the limit share one place.
const MOST_KINDS = 64;
const OTHERS = "others";

interface Minute {
  since: number;
  whole: number;
  leftOut: number;
  shard: string;
  timer: NodeJS.Timeout | null;
}

export function eventSample({ perMinute = WHOLE_EVENTS_PER_MINUTE, monotonic, tell, minuteMs = 60_000 }: EventSampleOptions): EventSample {
  const minutes = new Map<string, Minute>();
  let stopped = false;
  return {
    take(wanted, { shard }) {
      const kind = kindOf(wanted);
      const minute = current(kind);
      if (minute.whole < perMinute) {
        minute.whole++;
        return true;
      }
      leaveOut(kind, minute, shard);
      return false;
    },
    missed: (wanted, { shard }) => {
      const kind = kindOf(wanted);
      leaveOut(kind, current(kind), shard);
    },
    async stop() {
      stopped = true;
      await Promise.all([...minutes].map(([kind, minute]) => report(kind, minute)));
    },
  };

  function kindOf(wanted: string): string {
    return minutes.has(wanted) || minutes.size < MOST_KINDS ? wanted : OTHERS;
  }

  function leaveOut(kind: string, minute: Minute, shard: string): void {
    minute.leftOut++;
    minute.shard = shard;
    // At the end of its own minute, or at once if there is nothing left to wait for.
    minute.timer ??= setTimeout(() => void report(kind, minute), stopped ? 0 : Math.max(0, minute.since + minuteMs - monotonic())).unref();
  }

  function current(kind: string): Minute {
    const known = minutes.get(kind);
    const now = monotonic();
    // A kind whose number is still unreported ends once it is reported.
    if (known && (known.timer !== null || now - known.since < minuteMs)) return known;
    const minute: Minute = { since: now, whole: 0, leftOut: 0, shard: "00", timer: null };
    minutes.set(kind, minute);
    return minute;
  }

  async function report(kind: string, minute: Minute): Promise<void> {
    if (minute.timer) clearTimeout(minute.timer);
    minute.timer = null;
    const { leftOut: count, shard, since } = minute;
    if (count === 0) return;
    minute.leftOut = 0;
    try {
      await tell({ kind, count, overMs: Math.round(monotonic() - since), shard });
    } catch {
      // The store is unavailable: the number is reported with the next one, at the latest at the stop.
      const next = minutes.get(kind) ?? minute;
      next.leftOut += count;
      next.shard = shard;
      next.timer ??= stopped ? null : setTimeout(() => void report(kind, next), minuteMs).unref();
    }
  }
}
