import { type EventCall, keys, type RunEvent } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { completed, started, turn } from "../testing/agent-under-test.ts";
import { setup } from "../testing/gateway-under-test.ts";
import type { Viewer } from "../testing/viewer-under-test.ts";

/** Starts a run that waits for one call, and returns it with a function that reports the call's progress. */
async function waitingRun() {
  const t = await setup();
  const runId = await t.accepted();
  const callId = `${runId}.1.0`;
  const call: EventCall = { callId, transcriptId: "a", tool: "look", kind: "read", arguments: "{}" };
  await t.agent.take(runId);
  await t.agent.say(runId, started, { ...(turn(1, "") as Extract<RunEvent, { type: "turn" }>), calls: [call] });
  const says = (n: number, fraction?: number): Promise<void> =>
    t.store.live(keys.live(runId), {
      type: "progress",
      callId,
      tool: "look",
      n,
      at: 1,
      message: `row ${n}`,
      ...(fraction ? { fraction } : {}),
    });
  return Object.assign(t, { runId, callId, says });
}

const progressOf = ({ seen }: Viewer) => seen.filter(({ name }) => name === "progress");

describe("the progress of a tool in a stream", () => {
  it("is sent as it arrives, without an id, once although two replicas of the agent send it", async () => {
    await using t = await waitingRun();
    const viewer = await t.view("una", t.runId);
    await viewer.sees(({ name }) => name === "turn");
    for (const n of [1, 1, 2]) await t.says(n, n / 2);
    await viewer.sees(({ data }) => data["n"] === 2);
    await t.agent.say(t.runId, completed);
    await viewer.ended;
    expect(progressOf(viewer)).toEqual(
      [1, 2].map((n) => ({
        id: null,
        name: "progress",
        data: { type: "progress", callId: t.callId, tool: "look", n, at: 1, message: `row ${n}`, fraction: n / 2 },
      })),
    );
  });

  it("is sent to a later viewer, and never before the turn that asks for the call", async () => {
    await using t = await waitingRun();
    await t.says(1);
    const viewer = await t.view("una", t.runId);
    await viewer.sees(({ name }) => name === "progress");
    expect(viewer.seen.map(({ name }) => name)).toEqual(["run.started", "turn", "progress"]);
  });

  it("is not sent to a viewer that already has the call's result", async () => {
    await using t = await waitingRun();
    const usage = { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 1 };
    await t.says(1);
    await t.agent.say(t.runId, {
      type: "call.resolved",
      at: 1,
      callId: t.callId,
      tool: "look",
      status: "ok",
      latencyMs: 1,
      content: "",
      usage,
    });
    const viewer = await t.view("una", t.runId);
    await viewer.sees(({ name }) => name === "call.resolved");
    await t.says(2);
    await t.agent.say(t.runId, completed);
    await viewer.ended;
    expect(progressOf(viewer)).toEqual([]);
  });
});
