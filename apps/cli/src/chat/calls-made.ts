import type { StreamItem } from "../runs/watch-run.ts";

/** One tool call, as the JSON output shows it. */
export interface CallMade {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: string;
  readonly status: string;
  /** The result, truncated as in the stream. */
  readonly content: string;
  readonly latencyMs: number;
}

export interface CallsMade {
  onItem(item: StreamItem): void;
  calls(): readonly CallMade[];
}

/** Collects the calls of a run from its stream, in the order of their results. */
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
