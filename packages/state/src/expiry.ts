/**
 * How long an expired or removed document is kept before it may be swept. For this time it remembers its last op, and a repeat of the change that removed
 * it is answered "ok".
 */
export const REMEMBERED_MS = 10 * 60_000;

/** How often expired rows are looked for, by the store's clock. */
export const SWEEP_EVERY_MS = 10_000;

/** Whether something with this expiry has expired: true from that exact millisecond on. */
export function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
