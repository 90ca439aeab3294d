import { type CrashMarks } from "./crash-mark-store.ts";
import { judge } from "./crash-mark.ts";
import { recentKeys } from "./recent-keys.ts";
import { type Place, sharedLane } from "./shared-lane.ts";
import type { ToolCall } from "../tool/tool-call.ts";
import type { WorkerTimings } from "../worker-timings.ts";

/**
 * Finds a call that crashes its workers, and stops it from running again. The first attempt at a call costs nothing. A call that arrives again, and
 * did not end properly before, leaves a mark in the store while it runs. If the call has left a mark before, it runs alone if possible. If the worker
 * crashes then, no other call can be the cause.
 */
export interface SuspectCalls {
  /** Decides how this call may continue. Throws `StoreUnavailable`. */
  begin(call: SuspectCall): Promise<Trial>;
}

export type SuspectCall = Pick<ToolCall, "callId" | "count" | "dispatch" | "stopped"> & {
  readonly message: Pick<ToolCall["message"], "id">;
};

export type Trial =
  /** The call runs until `end`, which never throws. */
  | { readonly kind: "run"; end(): Promise<void> }
  /** Another worker runs the call. */
  | { readonly kind: "busy"; readonly forMs: number }
  /** The call does not run again. */
  | { readonly kind: "quarantined"; readonly deaths: number };

export interface SuspectCallsOptions {
  readonly marks: CrashMarks;
  readonly timings: WorkerTimings;
  /** Every worker that was last seen before this time is dead. Only a store with an exclusive lock knows this time. */
  readonly ownersDeadBefore: number;
  readonly random: (bytes: number) => Uint8Array;
}

/**
 * The time for which a suspect call waits for other calls to end, and other calls wait for it. A call that crashes a process usually does so soon.
 */
export const ALONE_MS = 10_000;
const MOST_REMEMBERED = 10_000;

export function suspectCalls({ marks, timings, ownersDeadBefore, random }: SuspectCallsOptions): SuspectCalls {
  const self = Buffer.from(random(12)).toString("hex");
  const returned = recentKeys(MOST_REMEMBERED);
  const lane = sharedLane();
  return {
    async begin(call) {
      const { callId, message, count, dispatch, stopped } = call;
      if ((count === 1 && dispatch === 1) || returned.delete(`${message.id}#${count}`)) return unmarked(call, await lane.enter(stopped));
      const { mark, version, now } = await marks.find(callId);
      const judged = judge({ mark, self, now, ownersDeadBefore });
      if (judged.kind !== "run") return judged;
      const { deaths } = judged;
      // Without a mark, whether the call runs alone proves nothing: two marks are needed. All calls of a worker that somebody killed arrive like this,
      // and none of them may delay the others, nor the calls of this worker.
      const place = mark === null ? await lane.enter(stopped) : await lane.enterAlone({ withinMs: ALONE_MS, forMs: ALONE_MS }, stopped);
      return marked(call, place, { deaths, version });
    },
  };

  function unmarked(call: SuspectCall, place: Place): Trial {
    return {
      kind: "run",
      async end() {
        endedInOrder(call);
        place.leave();
      },
    };
  }

  /** Remembers that the call ended properly. If its next delivery arrives here, the call was returned to the queue, and no worker crashed. */
  function endedInOrder({ message, count }: SuspectCall): void {
    returned.add(`${message.id}#${count + 1}`);
  }

  async function marked(
    call: SuspectCall,
    place: Place,
    { deaths, version }: { readonly deaths: number; readonly version: number },
  ): Promise<Trial> {
    try {
      const kept = await marks.keep(call.callId, { by: self, deaths, alone: place.alone() }, version);
      if (kept === null) {
        place.leave();
        return { kind: "busy", forMs: timings.leaseMs };
      }
      place.onShared(() => kept.notAlone());
      return {
        kind: "run",
        async end() {
          endedInOrder(call);
          await kept.remove().finally(place.leave);
        },
      };
    } catch (error) {
      place.leave();
      throw error;
    }
  }
}
