/** A clock that is behind what is carried on by more than this was set back. What is less happens all the time: clocks are corrected. */
export const STEP_MS = 2000;
