import type { PipelineLog } from "./pipeline-log.ts";

/** What a handler says about a message that no consumer can work on: it names something that cannot be here, whoever sent it. */
export interface Unusable {
  readonly kind: "unusable";
  readonly reason: string;
}

/**
 * Which messages that no consumer can work on become dead letters. The first of a minute do; the others are only counted, and a log line reports the number
 * when the minute is over. So a sender of thousands does not cause a publish for each while the work behind them waits.
 */
export interface UnusableMessages {
  /** Counts one. True: it becomes a dead letter. */
  take(message: UnusableMessage): boolean;
  /** The dead letter of a chosen message was not confirmed: it is chosen again when the message comes again. */
  promise(id: string): void;
  /** Reports the count so far. Safe to use twice. */
  stop(): void;
}

export interface UnusableMessage {
  readonly id: string;
  readonly reason: string;
}

/** The same number as for security events of a kind. */
export const LETTERS_PER_MINUTE = 30;

export function unusableMessages({ topic, clock, log, perMinute = LETTERS_PER_MINUTE }: UnusableOptions): UnusableMessages {
  /** Chosen, and without a dead letter yet. Each allows one delivery, so a flood under the same id passes once. */
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
  /** Wall clock in milliseconds. */
  readonly clock: () => number;
  readonly log: PipelineLog;
  readonly perMinute?: number | undefined;
}

const MINUTE_MS = 60_000;
// While the broker accepts no dead letters, those of the last minutes come again and again.
const MOST_PROMISED = 1000;
