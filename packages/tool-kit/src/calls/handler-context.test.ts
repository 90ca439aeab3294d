import type { Log } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { modelUseCounter } from "../tool/model-use.ts";
import { toolContext, writeContext } from "./handler-context.ts";

function setup() {
  const child: Log = {
    debug: vi.fn<Log["debug"]>(),
    info: vi.fn<Log["info"]>(),
    warn: vi.fn<Log["warn"]>(),
    error: vi.fn<Log["error"]>(),
    child: () => child,
  };
  const made = vi.fn<Log["child"]>(() => child);
  const progress = { report: () => undefined, questions: () => undefined, end: () => undefined };
  const call = { callId: "call-1", toolName: "look_up", invoke: { sessionId: "s" }, progress, modelUse: modelUseCounter() };
  return { child, made, call, log: { ...child, child: made } };
}

describe.each([
  ["a read", toolContext],
  ["a write", writeContext],
])("the log of a handler of %s", (_, contextOf) => {
  it("is made when the handler asks for it, once, and names the call and the tool", () => {
    const { child, made, call, log } = setup();
    const context = contextOf(call, { log }, new AbortController().signal);
    expect(made).not.toHaveBeenCalled();
    expect([context.log, context.log]).toEqual([child, child]);
    expect(made.mock.calls).toEqual([[{ callId: "call-1", tool: "look_up" }]]);
  });
});
