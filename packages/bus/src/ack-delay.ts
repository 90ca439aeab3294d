/**
 * Decides when waiting acks are sent. Nobody waits for an ack, but the broker works for it: it writes to disk, or removes the message from a file. So an
 * ack that is sent at once delays the message after it, and several acks together cost little more than one (decision 0149).
 */
export interface AckDelay {
  /** Sends within the delay, together with whatever else is asked for in this time. */
  later(): void;
  /** Sends at the end of the current turn of the event loop. */
  soon(): void;
  /** Sends now. */
  now(): void;
  /** True while something waits. */
  readonly waits: boolean;
}

/** Makes a delay of at most `withinMs` milliseconds. `send` sends all acks that wait, and may find none. It must not throw. */
export function ackDelay(withinMs: number, send: () => void): AckDelay {
  let timer: NodeJS.Timeout | null = null;
  let ending = false;
  return {
    later() {
      if (!ending) timer ??= setTimeout(now, withinMs);
    },
    soon() {
      if (ending) return;
      ending = true;
      process.nextTick(now);
    },
    now,
    get waits() {
      return ending || timer !== null;
    },
  };

  function now(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    ending = false;
    send();
  }
}
