import { milliseconds } from "./settings.ts";

/** The timings of every service with an outbox or timers (docs/mechanics.md#timings). Tests use short ones. */
export const loopTimings = {
  OUTBOX_VISIBILITY_MS: milliseconds({
    default: 4000,
    desc: "how long the process that committed a message may take to publish it, before the relay publishes it",
  }),
  POLL_MS: milliseconds({
    default: 250,
    desc: "how often a service looks for due timers and messages in its outbox; if none is due soon, it waits up to ten times as long",
  }),
} as const;
