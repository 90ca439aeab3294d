import { type CrashMarks } from "./crash-mark-store.ts";
import { judge } from "./crash-mark.ts";
import { type Place, sharedLane } from "./shared-lane.ts";
import type { ToolCall } from "./tool-call.ts";
import type { WorkerTimings } from "./worker-timings.ts";

/**
 * Finds the call that takes its workers down, and keeps it from doing so again. The first attempt at a call costs nothing. A call that comes again without
 * having ended properly leaves a mark in the store while it runs, and runs alone if possible: if the worker goes down then, this call and no other took it
 * down.
 */
export interface SuspectCalls {
  /** How this call may continue. Throws `StoreUnavailable`. */
  begin(call: SuspectCall): Promise<Trial>;
}

export type SuspectCall = Pick<ToolCall, "callId" | "count" | "dispatch" | "stopped"> & {
  readonly message: Pick<ToolCall["message"], "id">;
};

export type Trial =
  /** It runs until `end`, which never throws. */
  | { readonly kind: "run"; end(): Promise<void> }
  /** Another worker runs it. */
  | { readonly kind: "busy"; readonly forMs: number }
  /** It runs no more. */
  | { readonly kind: "quarantined"; readonly deaths: number };

export interface SuspectCallsOptions {
  readonly marks: CrashMarks;
  readonly timings: WorkerTimings;
  /** What a store with an exclusive lock knows about the workers that were there before. */
  readonly ownersDeadBefore: number;
  readonly random: (bytes: number) => Uint8Array;
}

/** How long a call that may be dangerous waits for others to end, and they for it: a call that takes a process down mostly does so soon. */
export const ALONE_MS = 10_000;
const MOST_REMEMBERED = 10_000;

export function suspectCalls({ marks, timings, ownersDeadBefore, random }: SuspectCallsOptions): SuspectCalls {
  const self = Buffer.from(random(12)).toString("hex");
  const returned = new Set<string>();
  const lane = sharedLane();
  return {
    async begin(call) {
      const { callId, message, count, dispatch, stopped } = call;
      if ((count === 1 && dispatch === 1) || returned.delete(`${message.id}#${count}`)) return unmarked(call, await lane.enter(stopped));
      const { mark, version, now } = await marks.find(callId);
      const judged = judge({ mark, self, now, ownersDeadBefore });
      if (judged.kind !== "run") return judged;
      const { deaths } = judged;
      // Others must end first only for a call that left a mark when a worker went down.
      const place = await lane.enterAlone({ withinMs: mark === null ? 0 : ALONE_MS, forMs: ALONE_MS }, stopped);
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

  /** If its delivery comes here again, it was handed back: no worker went down with it. */
  function endedInOrder({ message, count }: SuspectCall): void {
    returned.add(`${message.id}#${count + 1}`);
    const [oldest] = returned;
    if (returned.size > MOST_REMEMBERED && oldest !== undefined) returned.delete(oldest);
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
