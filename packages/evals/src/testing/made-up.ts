import type { NumberedRunEvent } from "@toolbus/contracts";
import type { Observation, ObservedCall } from "../observation/observation.ts";

/** Returns a call of a made-up run. */
export function madeUpCall(told: Partial<ObservedCall> & { readonly tool: string }): ObservedCall {
  return { callId: `call-${told.tool}`, kind: "read", round: 1, arguments: "{}", status: "ok", content: "{}", held: false, ...told };
}

/** Returns a made-up run that completed with an answer. */
export function madeUpObservation(told: Partial<Observation> = {}): Observation {
  return {
    runId: "rn_00_1",
    end: "completed",
    answer: "Done.",
    report: null,
    rounds: [{ round: 1, provider: "offline", model: "rules-1", text: "Done.", retries: 0 }],
    calls: [],
    usage: { inputTokens: 10, outputTokens: 5, modelCalls: 1, toolCalls: 0, costMicroUsd: 0 },
    elapsedMs: 100,
    activeMs: 80,
    ...told,
  };
}

/** Returns a report with a severity and findings. */
export function madeUpReport(severity: "low" | "medium" | "high" | null, findings: readonly string[] = []): Observation["report"] {
  return { subject: "shop-1.9", cause: null, severity, findings: [...findings], evidence: [], filing: { status: "filed" } };
}

/** Returns events with their numbers and times. */
export function numberedEvents(events: readonly object[]): readonly NumberedRunEvent[] {
  return events.map((event, n) => ({ at: 1000 + n, sequence: n + 1, ...event })) as unknown as readonly NumberedRunEvent[];
}
