import type { Clockwork } from "../clockwork/clockwork.ts";
import type { Prng } from "../clockwork/prng.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import type { ObservedStore, RowKind } from "./observed-store.ts";

/**
 * The polls that found nothing. If each process polled four times a second, most events of a history would be empty polls. So a poll waits here until
 * a row is due, and then for a random part of the poll interval, as a real poll would.
 */
export interface WaitingClaims {
  /** Resolves, as an event of the process, when a row of the service is due, or when the process is released. */
  wait(process: SimProcess, service: string, kind: RowKind): Promise<void>;
  /** Releases the polls of a process without rows. The process no longer works, and waits for its loops to end. */
  release(process: SimProcess): void;
}

interface Waiting {
  readonly process: SimProcess;
  readonly service: string;
  readonly kind: RowKind;
  /** The time from a row's due time to this process's next poll, in milliseconds. */
  readonly behindMs: number;
  readonly goOn: () => void;
  wakeAt: number | null;
  callOff: () => void;
}

export function waitingClaims(options: {
  readonly clockwork: Clockwork;
  readonly store: ObservedStore;
  readonly random: Prng;
  readonly pollMs: number;
}): WaitingClaims {
  const { clockwork, store, random, pollMs } = options;
  let waiting: readonly Waiting[] = [];
  store.onRows((service, kind) => {
    for (const entry of waiting) if (entry.service === service && entry.kind === kind) arm(entry);
  });
  return {
    wait(process, service, kind) {
      return new Promise((resolve) => {
        const entry: Waiting = {
          process,
          service,
          kind,
          behindMs: random.between(0, pollMs),
          wakeAt: null,
          callOff: () => undefined,
          goOn() {
            waiting = waiting.filter((other) => other !== entry);
            resolve();
          },
        };
        waiting = [...waiting.filter((other) => other.process.alive), entry];
        // A process that is not working polls as usual. If it is starting, it may find that it cannot start. If it is stopping, it waits for this
        // poll.
        if (process.working) arm(entry);
        else process.after(pollMs, "poll again", entry.goOn);
      });
    },
    release(process) {
      for (const entry of waiting) if (entry.process === process) process.after(0, "poll released", entry.goOn);
    },
  };

  function arm(entry: Waiting): void {
    const due = store.nextDue(entry.service, entry.kind);
    if (due === null) return;
    const wakeAt = Math.max(due, clockwork.now) + entry.behindMs;
    if (entry.wakeAt !== null && entry.wakeAt <= wakeAt) return;
    entry.callOff();
    entry.wakeAt = wakeAt;
    entry.callOff = entry.process.after(wakeAt - clockwork.now, `poll ${entry.service} ${entry.kind}`, () => {
      entry.wakeAt = null;
      const next = store.nextDue(entry.service, entry.kind);
      if (next !== null && next <= clockwork.now) entry.goOn();
      else arm(entry);
    });
  }
}
