import type { StateStore, TimerRow } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { pause } from "./pause.ts";

export interface TimerLoopOptions {
  readonly state: StateStore;
  readonly service: string;
  /** Finishes the obligation or sets its timer again, in a commit of its own. A handler that throws is called again after `visibleMs`. */
  readonly handle: (timer: TimerRow) => Promise<void>;
  readonly log: Log;
  readonly pollMs: number;
  /** How long a claimed timer stays out of sight; longer than a handler takes. */
  readonly visibleMs: number;
  /** 0 to 1, spreads the polls of replicas. */
  readonly random: () => number;
}

export interface Loop {
  stop(): Promise<void>;
}

const BATCH = 32;

/** Claims due timers of a service and hands each to its handler. Timers are re-armed by the claim, so a crash in a handler only costs time. */
export function startTimerLoop(options: TimerLoopOptions): Loop {
  const { state, service, handle, log, pollMs, visibleMs, random } = options;
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const full = await once();
      if (!full) await pause(pollMs * (0.75 + random() / 2), stopping.signal);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };

  async function once(): Promise<boolean> {
    try {
      const rows = await state.claim(service, "timer", { limit: BATCH, visibleAfter: visibleMs });
      await Promise.all(rows.map(handleOne));
      return rows.length === BATCH;
    } catch (error) {
      log.warn({ error, service }, "timers could not be read; trying again");
      return false;
    }
  }

  async function handleOne(row: TimerRow): Promise<void> {
    try {
      await handle(row);
    } catch (error) {
      log.error({ error, timer: row.id }, "a timer's handler failed and is called again");
    }
  }
}
