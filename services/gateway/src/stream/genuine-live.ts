import { type Json, keys, type LiveEvent } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { liveEventOf } from "./live-event.ts";

/** Live events of one run from the feed, until the run's own log has confirmed them. */
export interface GenuineLive {
  /** Delivers it later, in this order, if the run's log has it. */
  heard(batch: Json): void;
}

export interface GenuineLiveOptions {
  readonly runId: string;
  readonly state: Pick<StateStore, "genuine">;
  readonly tell: (event: LiveEvent) => void;
  readonly log: Log;
}

/** More unconfirmed events than this are dropped: the turn repeats the text. */
const MOST_WAITING = 1024;

/**
 * The feed of a store is writable by every service's login, the live log of a run by the agent's only. So nothing is shown just because it is in the feed:
 * the log is asked, with one request at a time for all events that arrived in between. Events that it does not have are dropped, with a warning that counts
 * them.
 */
export function genuineLive({ runId, state, tell, log }: GenuineLiveOptions): GenuineLive {
  let waiting: Json[] = [];
  let asking = false;
  return {
    heard(batch) {
      // An invalid event is ignored, without a request.
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
