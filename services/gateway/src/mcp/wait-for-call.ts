import type { ToolProgressed } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import type { Refused } from "../refused.ts";
import { liveProgress } from "../stream/live-progress.ts";
import { type CallState, callState, waitsForPeople } from "./call-state.ts";

export interface WaitForCall {
  readonly runId: string;
  readonly principal: Principal;
  /** The longest wait, in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Whether a call that waits for people ends the wait. Otherwise the wait lasts until they have decided. */
  readonly untilPeople: boolean;
  readonly onProgress?: (progress: ToolProgressed) => void;
}

/**
 * Waits until the call has a result, waits for people, or the time is over, and returns how the call stands. The wait also ends when the signal aborts
 * or the gateway stops. A principal who already has all its streams does not wait at all. Rejects if the store is unavailable.
 */
export async function waitForCall(gateway: Pick<Gateway, "state" | "feed" | "streams">, wait: WaitForCall): Promise<CallState | Refused> {
  const { runId, principal, waitMs, signal, untilPeople, onProgress } = wait;
  const { state, feed, streams } = gateway;
  const look = () => callState(state, runId, principal);
  const place = waitMs > 0 ? streams.take(JSON.stringify([principal.tenant, principal.id])) : null;
  if (!place) return look();
  let over = false;
  let news = Promise.withResolvers<void>();
  const wake = (): void => news.resolve();
  const stop = (): void => {
    over = true;
    wake();
  };
  const progress = liveProgress([`${runId}.0.0`]);
  const listening = feed.listen(runId, {
    onAppend: wake,
    onLive: (event) => {
      if (event.type === "progress" && progress.take(event)) onProgress?.(event);
    },
  });
  const timer = setTimeout(stop, waitMs);
  signal.addEventListener("abort", stop);
  place.onBye(stop);
  if (signal.aborted) stop();
  try {
    for (;;) {
      news = Promise.withResolvers<void>();
      const now = await look();
      if (over || now.kind !== "waiting" || (untilPeople && waitsForPeople(now))) return now;
      await news.promise;
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    listening.leave();
    place.leave();
  }
}
