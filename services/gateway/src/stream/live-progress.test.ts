import type { EventCall, RunEvent, ToolProgressed } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { turn } from "../testing/agent-under-test.ts";
import { liveProgress, progressOf } from "./live-progress.ts";

const RUN = "rn_03_01JD0000000000000000000001";
const [first, second] = [`${RUN}.1.0`, `${RUN}.1.1`] as const;

const progress = (callId: string, n: number): ToolProgressed => ({ type: "progress", callId, tool: "look", n, at: 1, message: `row ${n}` });
const asks = (...callIds: readonly string[]): RunEvent => {
  const calls = callIds.map((callId): EventCall => ({ callId, transcriptId: callId, tool: "look", kind: "read", arguments: "{}" }));
  return { ...(turn(1) as Extract<RunEvent, { type: "turn" }>), calls };
};
const resolved = (callId: string): RunEvent => ({ ...RESOLVED, callId });
const RESOLVED = {
  type: "call.resolved",
  at: 1,
  callId: "",
  tool: "look",
  status: "ok",
  latencyMs: 1,
  content: "",
  usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 },
} as const;

describe("live progress", () => {
  it("is shown once, however many replicas of the agent send it, and never backwards", () => {
    const live = liveProgress([first]);
    expect([1, 1, 3, 2, 3, 4].map((n) => live.take(progress(first, n)))).toEqual([true, false, true, false, false, true]);
  });

  it("is shown for calls that the viewer knows, until they have their result", () => {
    const live = liveProgress([]);
    expect(live.take(progress(first, 1))).toBe(false);
    live.sent(asks(first, second));
    expect(live.take(progress(first, 1))).toBe(true);
    live.sent(resolved(first));
    expect(live.take(progress(first, 2))).toBe(false);
    expect(live.take(progress(second, 1))).toBe(true);
  });

  it("continues where it was for a call whose turn is sent again", () => {
    const live = liveProgress([first]);
    live.take(progress(first, 5));
    live.sent(asks(first));
    expect(live.take(progress(first, 5))).toBe(false);
  });
});

describe("a live batch", () => {
  it("is progress if it has all fields of progress, and nothing else passes", () => {
    expect(progressOf({ ...progress(first, 1), fraction: 0.5, secret: "x" })).toEqual({ ...progress(first, 1), fraction: 0.5 });
  });

  it.each([
    ["text", { type: "delta", epoch: 1, round: 1, offset: 0, after: 0, text: "x" }],
    ["a call's number", { ...progress(first, 1), callId: 7 }],
    ["no number", { ...progress(first, 1), n: "1" }],
    ["no time", { type: "progress", callId: first, tool: "look", n: 1, message: "x" }],
    ["a list", [1]],
    ["null", null],
  ])("with %s is not progress", (_, batch) => {
    expect(progressOf(batch)).toBeNull();
  });
});
