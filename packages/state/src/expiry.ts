/**
 * How long an expired or removed document is kept before it may be swept. During this time the document remembers its last op, so a repeat of the
 * change that removed it is answered "ok".
 */
export const REMEMBERED_MS = 10 * 60_000;

/** The interval between two sweeps of expired rows, by the store's clock. */
export const SWEEP_EVERY_MS = 10_000;

/** Returns whether something with this expiry has expired. It expires exactly at that millisecond. */
export function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
