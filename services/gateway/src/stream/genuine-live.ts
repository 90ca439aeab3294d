import { type Json, keys, type LiveEvent } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { liveEventOf } from "./live-event.ts";

/** Delivers the live events of one run from the feed, after the run's own log has confirmed them. */
export interface GenuineLive {
  /** Delivers the batch later, in the order of arrival, if the run's log has it. */
  heard(batch: Json): void;
}

export interface GenuineLiveOptions {
  readonly runId: string;
  readonly state: Pick<StateStore, "genuine">;
  readonly tell: (event: LiveEvent) => void;
  readonly log: Log;
}

/** The most events that wait for confirmation. Further ones are dropped, because the turn repeats the text. */
const MOST_WAITING = 1024;

/**
 * Every service's login may write to the feed of a store, but only the agent's login may write to the live log of a run. So the gateway asks the log
 * before it shows an event of the feed. Each request to the log covers all events that arrived during the previous request. Events that the log does
 * not have are dropped, and a warning counts them.
 */
export function genuineLive({ runId, state, tell, log }: GenuineLiveOptions): GenuineLive {
  let waiting: Json[] = [];
  let asking = false;
  return {
    heard(batch) {
      // An invalid event is ignored without a request.
      if (liveEventOf(batch) === null || waiting.length >= MOST_WAITING) return;
      waiting.push(batch);
      if (!asking) void askOn();
    },
  };

  async function askOn(): Promise<void> {
    asking = true;
    try {
      while (waiting.length > 0) {
        const batches = waiting;
        waiting = [];
        const genuine = await state.genuine(keys.live(runId), batches);
        if (genuine.length < batches.length)
          log.warn(
            { runId, dropped: batches.length - genuine.length },
            "the feed had text for a run that the run's own log does not have: it is not shown. A login other than the agent's writes to the feed",
          );
        for (const event of genuine.map(liveEventOf)) if (event) tell(event);
      }
    } catch (error) {
      log.warn({ error, runId }, "live text could not be confirmed and is left out: the turn repeats it");
    } finally {
      asking = false;
    }
  }
}
