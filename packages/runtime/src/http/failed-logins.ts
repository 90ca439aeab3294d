/** Wrong keys counted per address, in this process only. */
export interface FailedLogins {
  /** Notes one more from this address; how long it is over its limit then in milliseconds, or null when it is not. */
  note(address: string): number | null;
}

const WINDOW_MS = 60_000;
const REMEMBERED = 10_000;

/**
 * Counts so that whoever tries keys is told to slow down, and a log does not fill with them. A right key is let in whatever others do from the same
 * address: behind a proxy everybody has one, and keys are too long to be guessed.
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
      // Set anew, so that the one that was first noted longest ago comes first.
      if (minute !== found) minutes.delete(address);
      minutes.set(address, minute);
      const oldest = minutes.keys().next();
      if (minutes.size > REMEMBERED && !oldest.done) minutes.delete(oldest.value);
      return minute.count > perMinute ? minute.endsAt - now : null;
    },
  };
}
