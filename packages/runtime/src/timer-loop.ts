import type { StateStore, TimerRow } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import { lastingTrouble } from "./lasting-trouble.ts";
import { untilDue } from "./until-due.ts";

export interface TimerLoopOptions {
  readonly state: StateStore;
  readonly service: string;
  /**
   * Handles a due timer. The handler makes its own commit, which completes the work and removes the timer or sets it again. If the handler throws,
   * the loop calls it again after `visibleMs`.
   */
  readonly handle: (timer: TimerRow) => Promise<void>;
  readonly log: Log;
  /** Returns the store's time in milliseconds since 1970. */
  readonly clock: () => number;
  readonly pollMs: number;
  /** How long a claimed timer stays invisible. If a handler takes longer, the timer is passed to a handler again. */
  readonly visibleMs: number;
  /** How many timers one claim takes at most (default: 32). */
  readonly batch?: number;
  /** Returns a number from 0 to 1, which spreads the polls of replicas. */
  readonly random: () => number;
}

export interface Loop {
  stop(): Promise<void>;
}

const BATCH = 32;
const MAX_UNDER_WAY = 256;

/**
 * Claims the due timers of a service and passes each to the handler. The claim sets the timer again, so a crash in a handler only costs time. A slow
 * handler, for example one that calls a model, delays no other timer. While a handler runs, this process does not handle the same timer a second
 * time.
 */
export function startTimerLoop(options: TimerLoopOptions): Loop {
  const { state, service, handle, log, clock, pollMs, visibleMs, batch = BATCH, random } = options;
  const stopping = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const trouble = lastingTrouble(log, { service, begins: "timers could not be read; trying again", ends: "timers are read again" });
  const due = untilDue(state, { service, kind: "timer", pollMs, signal: stopping.signal });
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const full = await once();
      if (underWay.size >= MAX_UNDER_WAY) await Promise.race(underWay.values());
      else if (!full) await due.wait(0.75 + random() / 2);
    }
    due.stop();
  })();
  return {
    async stop() {
      stopping.abort();
      await Promise.all(underWay.values());
      await loop;
      await Promise.all(underWay.values());
    },
  };

  async function once(): Promise<boolean> {
    try {
      const rows = await state.claim(service, "timer", { limit: batch, visibleAfter: visibleMs, onNext: due.onNext });
      trouble.worked();
      for (const { due } of rows) measure(metricNames.timerLag, Math.max(0, clock() - due), { [attributeNames.service]: service });
      if (!stopping.signal.aborted) for (const row of rows) start(row);
      return rows.length === batch;
    } catch (error) {
      trouble.failed(error);
      return false;
    }
  }

  function start(row: TimerRow): void {
    if (underWay.has(row.id)) return;
    const done = handleOne(row).finally(() => underWay.delete(row.id));
    underWay.set(row.id, done);
  }

  async function handleOne(row: TimerRow): Promise<void> {
    try {
      await handle(row);
    } catch (error) {
      log.error({ error, timer: row.id }, "a timer's handler failed and is called again");
    }
  }
}
