import type { PipelineLog } from "./pipeline-log.ts";

/** A handler's verdict on a message that no consumer can work on. The message names something that cannot exist here. */
export interface Unusable {
  readonly kind: "unusable";
  readonly reason: string;
}

/**
 * Chooses the unusable messages that become dead letters. It chooses the first ones of each minute. It only counts the others, and logs their number
 * when the minute is over. So a sender of thousands of messages does not cause thousands of publishes while other work waits.
 */
export interface UnusableMessages {
  /** Counts a message. Returns true if the message becomes a dead letter. */
  take(message: UnusableMessage): boolean;
  /** Records that the broker did not confirm the message's dead letter, so that `take` chooses the message again at its next delivery. */
  promise(id: string): void;
  /** Logs the count so far. A second call is safe. */
  stop(): void;
}

export interface UnusableMessage {
  readonly id: string;
  readonly reason: string;
}

/** The highest number of dead letters per minute. It equals the limit for security events of one kind. */
export const LETTERS_PER_MINUTE = 30;

export function unusableMessages({ topic, clock, log, perMinute = LETTERS_PER_MINUTE }: UnusableOptions): UnusableMessages {
  /**
   * The ids of chosen messages that have no dead letter yet. `take` chooses only one more delivery for each id, so a flood with the same id passes
   * only once.
   */
  const promised = new Set<string>();
  let since = clock();
  let letters = 0;
  let dropped = 0;
  let lastReason = "";
  let timer: NodeJS.Timeout | null = null;
  return {
    take({ id, reason }) {
      if (promised.delete(id)) return true;
      const now = clock();
      // A clock that was set back must not extend the minute for ever.
      if (Math.abs(now - since) >= MINUTE_MS) {
        tell();
        since = now;
        letters = 0;
      }
      if (letters < perMinute) {
        letters++;
        return true;
      }
      dropped++;
      lastReason = reason;
      timer ??= setTimeout(tell, MINUTE_MS).unref();
      return false;
    },
    promise(id) {
      if (promised.size < MOST_PROMISED) promised.add(id);
    },
    stop: tell,
  };

  function tell(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (dropped === 0) return;
    log.warn({ topic, dropped, lastReason }, "unusable messages came faster than dead letters of them are kept; these were dropped");
    dropped = 0;
  }
}

export interface UnusableOptions {
  readonly topic: string;
  /** The wall clock, in milliseconds. */
  readonly clock: () => number;
  readonly log: PipelineLog;
  readonly perMinute?: number | undefined;
}

const MINUTE_MS = 60_000;
// The highest number of remembered ids. While the broker accepts no dead letters, it delivers the unusable messages of the last minutes again and
// again.
const MOST_PROMISED = 1000;
