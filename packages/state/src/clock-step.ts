/**
 * If a clock is behind the expected time by more than this, somebody has set it back. Smaller differences are normal, because NTP corrects clocks all
 * the time.
 */
export const STEP_MS = 2000;
