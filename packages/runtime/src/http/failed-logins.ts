/** Wrong keys counted per address, in this process only. */
export interface FailedLogins {
  /** Records one more from this address; returns how much longer it is over its limit, in milliseconds, or null if it is not. */
  note(address: string): number | null;
}

const WINDOW_MS = 60_000;
const REMEMBERED = 10_000;

/**
 * Counts, so that somebody who tries keys is told to slow down, and does not fill the log. A valid key is accepted whatever others do from the same
 * address: behind a proxy everybody shares one, and keys are too long to guess.
 */
export function failedLogins(perMinute: number, monotonic: () => number): FailedLogins {
  const minutes = new Map<string, { endsAt: number; count: number }>();
  return {
    note(address) {
      if (perMinute === 0) return null;
      const now = monotonic();
      const found = minutes.get(address);
      const minute = found && found.endsAt > now ? found : { endsAt: now + WINDOW_MS, count: 0 };
      minute.count++;
      // Inserted again, so that the address with the oldest entry comes first.
      if (minute !== found) minutes.delete(address);
      minutes.set(address, minute);
      const oldest = minutes.keys().next();
      if (minutes.size > REMEMBERED && !oldest.done) minutes.delete(oldest.value);
      return minute.count > perMinute ? minute.endsAt - now : null;
    },
  };
}
