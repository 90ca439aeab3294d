import { expect, it } from "vitest";
import type { Call } from "./documents/agent.ts";
import { endedCall } from "./ended-call.ts";

it("an ended call says how often it was sent only if a worker got it more than once", () => {
  const event = {
    type: "call.resolved",
    at: 1,
    callId: "rn_1.1.0",
    tool: "look_up",
    status: "ok",
    latencyMs: 1,
    content: "{}",
    usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 1 },
  } as const;
  const sent = (dispatch: number): number | undefined => endedCall(event, { kind: "read", dispatch } as Call, undefined).sent;
  expect([0, 1, 2, 5].map(sent)).toEqual([undefined, undefined, 2, 5]);
});
