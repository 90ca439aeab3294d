/** A clock that is behind the carried-on time by more than this was set back. Smaller differences happen all the time: clocks are corrected. */
export const STEP_MS = 2000;
