import { describe, expect, it } from "vitest";
import { numberedEvents } from "../testing/made-up.ts";
import { observationOf } from "./observe.ts";

const usage = { inputTokens: 1, outputTokens: 2, modelCalls: 2, toolCalls: 2 };
const call = (callId: string, tool: string, kind = "read") => ({ callId, transcriptId: callId, tool, kind, arguments: "{}" });
const turn = (round: number, calls: readonly object[], seed = false) => ({
  type: "turn",
  round,
  seed,
  provider: "offline",
  model: "rules-1",
  text: "",
  calls,
  usage,
});
const end = { type: "run.completed", text: "Done.", truncated: false, report: null, usage };
const times = { createdAt: 900, activeMs: 40 };

describe("an observation", () => {
  it("has the rounds, the calls with their results, and the time from the message to the end", () => {
    const seen = observationOf(
      "rn_00_1",
      numberedEvents([
        turn(0, [call("a", "look")], true),
        { type: "call.resolved", callId: "a", tool: "look", status: "ok", latencyMs: 3, content: '{"x":1}', usage },
        { type: "model.retry", round: 1, attempt: 1, code: "timeout", message: "late", waitMs: 1 },
        turn(1, [call("b", "write", "write")]),
        { type: "call.held", callId: "b", tool: "write", approvalId: "ap_b", tier: "high", effect: "writes", expiresAt: 9 },
        { type: "call.decided", callId: "b", tool: "write", outcome: "approved", decidedBy: ["user:ann"] },
        { type: "call.resolved", callId: "b", tool: "write", status: "outcome_unknown", latencyMs: 4, content: "", usage },
        { type: "call.settled", callId: "b", tool: "write", status: "ok", content: "It happened." },
        turn(2, []),
        end,
      ]),
      times,
    );
    expect(seen).toMatchObject({ end: "completed", answer: "Done.", elapsedMs: 109, activeMs: 40 });
    expect(seen?.rounds.map(({ round, retries }) => [round, retries])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(seen?.calls).toMatchObject([
      { tool: "look", round: 0, status: "ok", content: '{"x":1}', held: false },
      { tool: "write", round: 1, status: "ok", content: "It happened.", held: true, decision: { outcome: "approved", by: ["user:ann"] } },
    ]);
  });

  it("of a failed run has its code and why it failed", () => {
    const failed = { type: "run.failed", code: "rounds", message: "Too many rounds.", report: null, usage };
    expect(observationOf("rn_00_1", numberedEvents([failed]), times)).toMatchObject({
      end: "failed",
      code: "rounds",
      answer: "Too many rounds.",
    });
  });

  it("does not exist before the run has ended", () => {
    expect(observationOf("rn_00_1", numberedEvents([turn(1, [])]), times)).toBeNull();
  });
});
