import { type Json, keys, type LiveEvent } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { liveEventOf } from "./live-event.ts";

/** What the feed says is live of one run, until its own log has confirmed it. */
export interface GenuineLive {
  /** Tells it later, in this order, if the run's log has it. */
  heard(batch: Json): void;
}

export interface GenuineLiveOptions {
  readonly runId: string;
  readonly state: Pick<StateStore, "genuine">;
  readonly tell: (event: LiveEvent) => void;
  readonly log: Log;
}

/** More than this that nobody confirmed yet is dropped: text is said again by its turn. */
const MOST_WAITING = 1024;

/**
 * The feed of a store is written by every service's login, the live log of a run by the agent's alone. So nothing is shown because the feed says it:
 * the log is asked, with one question under way for all that came meanwhile. What it does not have is dropped, with a warning that counts it.
 */
export function genuineLive({ runId, state, tell, log }: GenuineLiveOptions): GenuineLive {
  let waiting: Json[] = [];
  let asking = false;
  return {
    heard(batch) {
      // What is no event is ignored, and costs no question.
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
            "the feed had text for a run that the run's own log does not have: it is not shown. A login writes to the feed that is not the agent's",
          );
        for (const event of genuine.map(liveEventOf)) if (event) tell(event);
      }
    } catch (error) {
      log.warn({ error, runId }, "live text could not be confirmed and is left out: the turn says it again");
    } finally {
      asking = false;
    }
  }
}
