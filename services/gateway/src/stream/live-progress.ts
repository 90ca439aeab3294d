import type { Json, RunEvent, ToolProgressed } from "@toolbus/contracts";

/**
 * Decides which progress of tools a viewer receives. The progress must belong to a call that the viewer knows to be open, and it must be newer than
 * the last progress of that call.
 */
export interface LiveProgress {
  /**
   * Returns false for progress that is repeated, too late, or of a call that this run does not wait for. Repeats are normal, because every replica of
   * the agent publishes the same progress.
   */
  take(progress: ToolProgressed): boolean;
  /** Records an event that the viewer has received. */
  sent(event: RunEvent): void;
}

/** `open` has the calls for which the run waited when the viewer connected. */
export function liveProgress(open: Iterable<string>): LiveProgress {
  const last = new Map([...open].map((callId) => [callId, 0]));
  return {
    take({ callId, n }) {
      const before = last.get(callId);
      if (before === undefined || n <= before) return false;
      last.set(callId, n);
      return true;
    },
    sent(event) {
      if (event.type === "turn") for (const { callId } of event.calls) last.set(callId, last.get(callId) ?? 0);
      if (event.type === "call.resolved") last.delete(event.callId);
    },
  };
}

/** Returns a live batch as progress, or null for anything else. Other content must not break the feed of all viewers. */
export function progressOf(batch: Json): ToolProgressed | null {
  if (batch === null || typeof batch !== "object" || Array.isArray(batch)) return null;
  const { type, callId, tool, n, at, message, fraction } = batch as Partial<Record<string, Json>>;
  if (type !== "progress" || typeof callId !== "string" || typeof tool !== "string" || typeof message !== "string") return null;
  if (!Number.isSafeInteger(n) || !Number.isSafeInteger(at)) return null;
  return { type, callId, tool, n: Number(n), at: Number(at), message, ...(typeof fraction === "number" ? { fraction } : {}) };
}
