/**
 * Decides which of many similar events are recorded in full. The first events of each kind in a minute are recorded. The sample only counts the other
 * events, and reports their number at the end of the minute. So thousands of events cause a bounded number of commits and log lines, and every event
 * is at least counted.
 */
export interface EventSample {
  /**
   * Counts one event. Returns true if the caller should record the event in full. Otherwise the event is only counted. The report of the count names
   * the shard of the last event that was only counted.
   */
  take(kind: string, about: EventPlace): boolean;
  /** Counts an event that the caller should have recorded in full but could not record. */
  missed(kind: string, about: EventPlace): void;
  /** Reports the counts so far, and starts no further minute. Resolves when the report is done. Safe to use twice. */
  stop(): Promise<void>;
}

/** Where the number of omitted events is stored: the shard of the last omitted event. */
export interface EventPlace {
  readonly shard: string;
}

/** Events of one kind that were only counted. */
export interface LeftOut {
  readonly kind: string;
  readonly count: number;
  /** How long ago the minute of these events began, in milliseconds. */
  readonly overMs: number;
  readonly shard: string;
}

export interface EventSampleOptions {
  /** How many events of a kind are recorded in full per minute. */
  readonly perMinute?: number;
  /** Returns the milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Stores the number. If it rejects, the number is added to the next report. */
  readonly tell: (leftOut: LeftOut) => Promise<void>;
  /** The length of a minute in milliseconds, for tests. */
  readonly minuteMs?: number;
}

export const WHOLE_EVENTS_PER_MINUTE = 30;

// Kinds are words from our own code. The kinds beyond the limit share one counter.
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
    // Reports at the end of the minute, or at once after `stop`.
    minute.timer ??= setTimeout(() => void report(kind, minute), stopped ? 0 : Math.max(0, minute.since + minuteMs - monotonic())).unref();
  }

  function current(kind: string): Minute {
    const known = minutes.get(kind);
    const now = monotonic();
    // A minute continues until the number of its omitted events is reported.
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
      // The store is unavailable, so the next report includes this number. After `stop` there is no retry.
      const next = minutes.get(kind) ?? minute;
      next.leftOut += count;
      next.shard = shard;
      next.timer ??= stopped ? null : setTimeout(() => void report(kind, next), minuteMs).unref();
    }
  }
}
