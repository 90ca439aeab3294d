import { type Call, DIRECT_CALL_PROFILE, type JsonObject, keys } from "@toolbus/contracts";
import { wholeResult } from "@toolbus/runtime";
import { defineTool } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { CONVERSATION, conversationUnderTest, run } from "../testing/conversation-under-test.ts";

const count = defineTool({
  name: "count_letters",
  description: "Counts the letters of a word.",
  kind: "read",
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"], additionalProperties: false },
  run: async ({ word }) => ({ letters: (word as string).length }),
});
const shout = defineTool({
  name: "shout_word",
  description: "Shouts a word.",
  kind: "read",
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"], additionalProperties: false },
  run: async ({ word }) => ({ said: (word as string).toUpperCase() }),
});
const setup = () =>
  conversationUnderTest(
    () => Date.now(),
    () => {
      throw new Error("The model was asked.");
    },
    { tools: [count, shout] },
  );

type System = Awaited<ReturnType<typeof setup>>;

async function call(c: System, tool: string, args: JsonObject): Promise<void> {
  const ids = { entryId: run(1), runId: run(1), conversationId: CONVERSATION, agent: "default", profile: DIRECT_CALL_PROFILE };
  const input = { call: { tool, arguments: args, client: "A client" } };
  await c.accept({ kind: "message", ...ids, text: "Call it.", input, ifActive: "enqueue", acceptedAt: Date.now() });
}

async function resultOf(c: System): Promise<unknown> {
  const { documents } = await c.state.read([keys.call(`${run(1)}.0.0`)]);
  return wholeResult(c.state, documents[0]?.value as unknown as Call);
}

describe("a run that makes one direct call", () => {
  it("makes exactly this call with exactly these arguments, and ends without asking a model or using tokens", async () => {
    await using c = await setup();
    await call(c, "count_letters", { word: "bus" });
    expect(await c.ended(1)).toMatchObject({
      type: "run.completed",
      usage: { modelCalls: 0, toolCalls: 1, inputTokens: 0, outputTokens: 0 },
    });
    const turns = (await c.events(1)).filter((event) => event.type === "turn");
    expect(turns.map(({ seed, calls }) => [seed, calls.map((one) => [one.tool, one.arguments])])).toEqual([
      [true, [["count_letters", '{"word":"bus"}']]],
      [true, []],
    ]);
    expect(await resultOf(c)).toMatchObject({ status: "ok", content: '{"letters":3}' });
  });

  it("is offered only the tool of its call", async () => {
    await using c = await setup();
    await call(c, "shout_word", { word: "bus" });
    await c.ended(1);
    expect((await c.events(1)).find((event) => event.type === "run.started")).toMatchObject({ tools: ["shout_word"] });
  });

  it("gives the reason when the tool does not exist or the arguments do not fit", async () => {
    await using c = await setup();
    await call(c, "kind:read", { word: "bus" });
    await c.ended(1);
    expect(await resultOf(c)).toMatchObject({ error: { code: "tool_not_found" } });
    await using other = await setup();
    await call(other, "count_letters", { words: 3 });
    await other.ended(1);
    expect(await resultOf(other)).toMatchObject({ error: { code: "invalid_arguments" } });
  });

  it("begins like a run that has read untrusted content, because nobody knows what the client has read", async () => {
    await using c = await setup();
    await call(c, "count_letters", { word: "bus" });
    await c.ended(1);
    const { documents } = await c.state.read([keys.run(run(1))]);
    expect(documents[0]?.value).toMatchObject({ taint: { sources: [{ tool: "A client", passage: expect.stringContaining("over MCP") }] } });
  });
});
