/** Counts wrong keys per address, in this process only. */
export interface FailedLogins {
  /**
   * Records one more wrong key from this address. Returns how long the address stays over its limit, in milliseconds, or null if it is not over the
   * limit.
   */
  note(address: string): number | null;
}

const WINDOW_MS = 60_000;
const REMEMBERED = 10_000;

/**
 * Counts wrong keys, so that the server can slow down an attacker who tries keys. The server still accepts valid keys from the same address, because
 * all clients behind a proxy share one address. This is safe, because nobody can guess a key.
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
      // A new minute is inserted at the end, so that the address with the oldest minute is the first in the map.
      if (minute !== found) minutes.delete(address);
      minutes.set(address, minute);
      const oldest = minutes.keys().next();
      if (minutes.size > REMEMBERED && !oldest.done) minutes.delete(oldest.value);
      return minute.count > perMinute ? minute.endsAt - now : null;
    },
  };
}
