import type { RunEvent } from "@toolbus/contracts";

/** Returns an event of about 700 bytes: the result of a call, as a viewer receives it. `at` is the time of the event, in milliseconds. */
export function sampleEvent(at: number, bytes = 500): RunEvent {
  return {
    type: "turn",
    at,
    round: 1,
    seed: false,
    provider: "bench",
    model: "bench",
    text: "x".repeat(bytes),
    calls: [],
    usage: { inputTokens: 1200, outputTokens: 80, modelCalls: 1, toolCalls: 0 },
  };
}
