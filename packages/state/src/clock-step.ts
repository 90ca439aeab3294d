/**
 * If a clock is behind the expected time by more than this, it was set back. Smaller differences are normal, because clocks are corrected all the
 * time.
 */
export const STEP_MS = 2000;
