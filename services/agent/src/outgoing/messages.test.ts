import { attributes, type Message, topics } from "@toolbus/contracts";
import { readSettings } from "@toolbus/runtime";
import { describe, expect, it } from "vitest";
import { agentSettings } from "../settings.ts";
import { callDecided } from "../transitions/decided.ts";
import { invokeMessage } from "./messages.ts";
import { asks, bundle, CONVERSATION, RUN } from "../testing/test-bundle.ts";

const CALL = `${RUN}.1.0`;

/** Returns the invokes that a run sends for a read and for a granted write. */
async function sent(): Promise<{ readonly read: Message; readonly write: Message }> {
  const b = bundle();
  await b.start();
  await b.turn([asks("look", "r", { s: "x", n: 1 }), asks("change", "w")]);
  const invokes = async () => (await b.sent()).filter(({ topic }) => topic === topics.invoke("test"));
  const [read] = await invokes();
  const { callId } = await b.call(1);
  const decision = { toolCallId: callId, approvalId: `ap_${callId}`, outcome: "approved" as const };
  const until = (await b.snapshot()).now + 900_000;
  await b.commit(callDecided(await b.snapshot(), { ...decision, grantExpiresAt: until, executeBy: until }, "a.b.c", b.rules));
  await b.answer(0);
  const [write] = await invokes();
  if (!read || !write) throw new Error("not both were sent");
  return { read, write };
}

describe("a request to a worker", () => {
  it("has in its body the call, the tool, its arguments as text and the session, and everything else as attributes", async () => {
    const { read, write } = await sent();
    expect(JSON.parse(read.body)).toStrictEqual({
      toolCallId: CALL,
      toolName: "look",
      arguments: '{"n":1,"s":"x"}',
      sessionId: CONVERSATION,
    });
    expect(Object.keys(JSON.parse(write.body) as object)).toEqual(Object.keys(JSON.parse(read.body) as object));
    const { notAfter, dispatch, toolVersion, toolHash, callSecret, agent, grant } = attributes;
    const ofEach = [notAfter, dispatch, toolVersion, toolHash, callSecret, agent];
    expect(Object.keys(read.attributes).toSorted()).toEqual(ofEach.toSorted());
    expect(Object.keys(write.attributes).toSorted()).toEqual([...ofEach, grant].toSorted());
    expect([read.correlationId, read.type]).toEqual([CALL, "toolbus.tool.invoke"]);
  });

  it("asks for its answer on the queue of the agent that sends it", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look")]);
    const { run, now } = await b.snapshot();
    const replyTo = async (env: Readonly<Record<string, string>>) =>
      invokeMessage(await b.call(0), run.value, { ...b.rules, config: readSettings(agentSettings, env) }, now).replyTo;
    expect([await replyTo({}), await replyTo({ AGENT_NAME: "scout" })]).toEqual(["tool.result.default", "tool.result.scout"]);
  });
});
