/** Counts the calls that begin in any 60 seconds. */
export interface CallWindow {
  /** Counts a call and returns 0, or returns the time in milliseconds until a call may begin. */
  take(): number;
}

/** Allows `perMinute` calls in any 60 seconds. It remembers the beginnings of this many calls, so the window slides exactly. */
export function callWindow(perMinute: number, monotonic: () => number): CallWindow {
  const begun: number[] = [];
  let next = 0;
  return {
    take() {
      const now = monotonic();
      const oldest = begun[next];
      if (oldest !== undefined && now - oldest < MINUTE_MS) return MINUTE_MS - (now - oldest);
      begun[next] = now;
      next = (next + 1) % perMinute;
      return 0;
    },
  };
}

const MINUTE_MS = 60_000;
