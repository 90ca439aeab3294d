import { milliseconds } from "./settings.ts";

/** The timings of every service with an outbox or timers (docs/mechanics.md#timings). Tests use short ones. */
export const loopTimings = {
  OUTBOX_VISIBILITY_MS: milliseconds({ default: 4000, desc: "how long a committer has to publish before the relay takes over" }),
  POLL_MS: milliseconds({ default: 250, desc: "how often timers and the outbox are polled" }),
} as const;
