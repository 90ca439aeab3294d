import { isRunEnd, type NumberedRunEvent, type RunEnd } from "@toolbus/contracts";
import type { Observation, ObservedCall, ObservedRound } from "./observation.ts";

type EventOf<T extends NumberedRunEvent["type"]> = Extract<NumberedRunEvent, { type: T }>;
type Draft = { -readonly [K in keyof ObservedCall]: ObservedCall[K] };

/** What the events of a run do not say. */
export interface RunTimes {
  readonly createdAt: number;
  readonly activeMs: number;
}

/** Returns what a run did, from its durable events in order. Returns null if the run has not ended. */
export function observationOf(runId: string, events: readonly NumberedRunEvent[], { createdAt, activeMs }: RunTimes): Observation | null {
  const end = events.find((event): event is NumberedRunEvent & RunEnd => isRunEnd(event));
  if (!end) return null;
  const calls = new Map<string, Draft>();
  const rounds: ObservedRound[] = [];
  let retries = 0;
  for (const event of events) {
    if (event.type === "model.retry") retries++;
    if (event.type === "turn") {
      if (!event.seed) rounds.push(roundOf(event, retries));
      retries = 0;
      for (const { callId, tool, kind, via, arguments: args } of event.calls)
        calls.set(callId, {
          callId,
          tool,
          kind,
          arguments: args,
          ...(via === undefined ? {} : { via }),
          round: event.seed ? 0 : event.round,
          held: false,
        });
    }
    take(event, calls);
  }
  return {
    runId,
    end: end.type === "run.completed" ? "completed" : end.type === "run.failed" ? "failed" : "cancelled",
    ...(end.type === "run.failed" ? { code: end.code } : {}),
    answer: end.type === "run.completed" ? end.text : (end.message ?? ""),
    report: end.report,
    rounds,
    calls: [...calls.values()],
    usage: end.usage,
    elapsedMs: Math.max(0, end.at - createdAt),
    activeMs,
  };
}

function roundOf({ round, provider, model, text }: EventOf<"turn">, retries: number): ObservedRound {
  return { round, provider, model, text, retries };
}

function take(event: NumberedRunEvent, calls: ReadonlyMap<string, Draft>): void {
  const call = "callId" in event ? calls.get(event.callId) : undefined;
  if (!call) return;
  switch (event.type) {
    case "call.held":
      call.held = true;
      return;
    case "call.decided":
      call.decision = { outcome: event.outcome, by: event.decidedBy };
      return;
    case "call.resolved":
      call.status = event.status;
      call.content = event.content;
      call.latencyMs = event.latencyMs;
      return;
    // The outcome that the ledger reported later is what the write did.
    case "call.settled":
      call.status = event.status;
      call.content = event.content;
      return;
    default:
      return;
  }
}
