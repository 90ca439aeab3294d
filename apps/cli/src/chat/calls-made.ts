import type { StreamItem } from "../runs/watch-run.ts";

/** One tool call as a result document shows it. */
export interface CallMade {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: string;
  readonly status: string;
  /** Truncated to what the stream shows. */
  readonly content: string;
  readonly latencyMs: number;
}

export interface CallsMade {
  onItem(item: StreamItem): void;
  calls(): readonly CallMade[];
}

/** Collects the calls of a run from its stream, in the order in which they were resolved. */
export function callsMade(): CallsMade {
  const asked = new Map<string, string>();
  const made: CallMade[] = [];
  return {
    onItem(item) {
      if (item.type === "turn") for (const call of item.calls) asked.set(call.callId, call.arguments);
      if (item.type !== "call.resolved") return;
      const { callId, tool, status, content, latencyMs } = item;
      made.push({ callId, tool, arguments: asked.get(callId) ?? "", status, content, latencyMs });
    },
    calls: () => made,
  };
}
