import type { JsonObject, TranscriptEntry } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { compatibleModel } from "../compatible/compatible-model.ts";
import type { ModelRequest } from "../model-provider.ts";
import { ollamaModel } from "../ollama/ollama-model.ts";
import { openrouterModel } from "../openrouter/openrouter-model.ts";
import { openaiModel } from "./openai-model.ts";
import { asking, count, deltas, facts, kept, lookup, outcome, testStream, userSays } from "../testing/test-stream.ts";

const families = { openai: openaiModel, openrouter: openrouterModel, ollama: ollamaModel, compatible: compatibleModel };
type Family = keyof typeof families;

/** Returns the body of a request as it is sent. */
async function sent(family: Family, more: Partial<ModelRequest> = {}, own: Partial<typeof facts> = {}): Promise<JsonObject> {
  await using stream = await testStream(deltas("stop", { content: "Well." }));
  await outcome(families[family]({ model: "model-1", apiKey: "k", baseUrl: stream.url, facts: { ...facts, ...own } }), asking(more));
  return stream.bodies[0] ?? {};
}

/** Returns the messages of a request as they are sent. */
async function messages(transcript: readonly TranscriptEntry[], family: Family = "openai"): Promise<readonly JsonObject[]> {
  return messagesIn(await sent(family, { transcript, system: "" }));
}

function messagesIn(body: JsonObject = {}): readonly JsonObject[] {
  return body["messages"] as readonly JsonObject[];
}

describe("a chat request", () => {
  it("streams with usage, has the system text first and the tools as functions", async () => {
    expect(await sent("openai")).toEqual({
      model: "model-1",
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 100,
      messages: [
        { role: "system", content: "You help." },
        { role: "user", content: "Look up 7." },
      ],
      tools: [lookup, count].map(({ name, description }) => ({
        type: "function",
        function: expect.objectContaining({ name, description, parameters: expect.objectContaining({ type: "object" }) }),
      })),
    });
  });

  it.each([["openrouter"], ["ollama"], ["compatible"]] as const)("says max_tokens to %s", async (family) => {
    const body = await sent(family);
    expect(body).toMatchObject({ max_tokens: 100 });
    expect(body).not.toHaveProperty("max_completion_tokens");
  });

  it("has a temperature only if the model accepts one", async () => {
    expect(await sent("openai", { temperature: 0.2 })).toMatchObject({ temperature: 0.2 });
    expect(await sent("openai", { temperature: 0.2 }, { sampling: false })).not.toHaveProperty("temperature");
    expect(await sent("openai")).not.toHaveProperty("temperature");
  });

  it.each([
    ["none", "none"],
    ["required", "required"],
    ["tool:count", { type: "function", function: { name: "count" } }],
    ["tool:unknown", undefined],
    ["auto", undefined],
  ] as const)("passes the choice %s on as %j", async (toolChoice, wanted) => {
    expect((await sent("openai", { toolChoice }))["tool_choice"]).toEqual(wanted);
    expect(await sent("openai", { toolChoice, tools: [] })).not.toHaveProperty("tool_choice");
  });

  it("sends Ollama no tools if it may call none, because Ollama has no option for that", async () => {
    expect(await sent("ollama", { toolChoice: "none" })).not.toHaveProperty("tools");
    expect(await sent("ollama", { toolChoice: "required", parallelCalls: false })).not.toHaveProperty("tool_choice");
  });

  it("mentions parallel calls only to forbid them, and only with tools", async () => {
    expect(await sent("openai", { parallelCalls: false })).toMatchObject({ parallel_tool_calls: false });
    expect(await sent("openai", { parallelCalls: true })).not.toHaveProperty("parallel_tool_calls");
    expect(await sent("openai", { parallelCalls: false, tools: [] })).not.toHaveProperty("parallel_tool_calls");
    expect(await sent("ollama", { parallelCalls: false })).not.toHaveProperty("parallel_tool_calls");
  });

  it("has a message even if the transcript is empty", async () => {
    expect(await messages([])).toHaveLength(1);
  });
});

const seed: TranscriptEntry = {
  type: "assistant",
  runId: "rn_1",
  round: 0,
  text: "",
  at: 0,
  provider: "toolbus",
  model: "seed",
  calls: [
    { id: "seed:1", callId: "rn_1.0.0", name: "orders.lookup", arguments: '{"id":' },
    { id: "x".repeat(41), callId: "rn_1.0.1", name: "count", arguments: "" },
  ],
};
const result = (id: string, content: string): TranscriptEntry => ({
  type: "result",
  runId: "rn_1",
  round: 0,
  id,
  callId: "rn_1.0.0",
  name: "lookup",
  status: "ok",
  content,
  isError: false,
  at: 0,
});

describe("a transcript in chat messages", () => {
  it("has a foreign turn in this vendor's form, with other ids only if they break the rule", async () => {
    const [, turn, first, second] = await messages([userSays("Go."), seed, result("seed:1", "one"), result("x".repeat(41), "two")]);
    const { tool_calls: calls } = turn as {
      readonly tool_calls?: readonly { readonly id: string; readonly function: Record<string, string> }[];
    };
    const [one, two] = calls ?? [];
    expect(turn).toMatchObject({ role: "assistant", content: null });
    expect(one).toMatchObject({ id: "seed:1", type: "function" });
    expect(one?.function["name"]).toMatch(/^[\w-]{1,64}$/);
    expect(JSON.parse(one?.function["arguments"] ?? "")).toEqual({ _unreadable: '{"id":' });
    expect(two?.function).toEqual({ name: "count", arguments: "{}" });
    expect(two?.id.length).toBeLessThanOrEqual(40);
    expect(first).toEqual({ role: "tool", tool_call_id: "seed:1", content: "one" });
    expect(second).toEqual({ role: "tool", tool_call_id: two?.id, content: "two" });
  });

  it("has the results in the order of their calls, one message each", async () => {
    const all = await messages([seed, result("x".repeat(41), "two"), result("seed:1", "one"), userSays("And?")]);
    const [{ tool_calls: calls } = {}] = all as readonly { readonly tool_calls?: readonly { readonly id: string }[] }[];
    const ids = (calls ?? []).map(({ id }) => id);
    expect(all.map(({ role, content, tool_call_id: id }) => [role, content, id])).toEqual([
      ["assistant", null, undefined],
      ["tool", "one", ids[0]],
      ["tool", "two", ids[1]],
      ["user", "And?", undefined],
    ]);
    expect(new Set(ids).size).toBe(2);
  });

  it("uses the same name for a tool in the history and in the list of tools, in every dialect", async () => {
    for (const family of ["openai", "openrouter", "ollama", "compatible"] as const)
      for (const name of ["orders.lookup", "7lookup", "-x", "look_up", "ä", "x".repeat(80)]) {
        const calls = [{ id: "a", callId: "rn_1.0.0", name, arguments: "{}" }];
        const body = await sent(family, { tools: [{ ...lookup, name }], transcript: [{ ...seed, calls }, result("a", "one")], system: "" });
        const [tool] = body["tools"] as readonly { readonly function: { readonly name: string } }[];
        expect(messagesIn(body)[0]).toMatchObject({ tool_calls: [{ function: { name: tool?.function.name } }] });
      }
  });

  it("leaves out an empty turn", async () => {
    expect(await messages([userSays("Go."), { ...seed, calls: [] }, userSays("And?")])).toHaveLength(2);
  });

  it("has an own turn unchanged, with its long id, and rebuilds a changed one", async () => {
    const id = "call_".padEnd(60, "x");
    await using stream = await testStream(
      deltas(
        "tool_calls",
        { content: "I look." },
        { tool_calls: [{ index: 0, id, function: { name: "lookup", arguments: '{ "id": "7" }' } }] },
      ),
    );
    const provider = openaiModel({ model: "model-1", apiKey: "k", baseUrl: stream.url, facts });
    const { reply } = await outcome(provider);
    const [turn, ...results] = kept(reply, "openai");
    if (turn?.type !== "assistant") throw new Error("No turn.");
    const sentAs = async (changed: typeof turn, more = facts, model = "model-1") => {
      const other = openaiModel({ model, apiKey: "k", baseUrl: stream.url, facts: more });
      await outcome(other, asking({ transcript: [userSays("Go."), changed, ...results] }));
      return messagesIn(stream.bodies.at(-1))[2];
    };
    expect(await sentAs(turn)).toEqual(reply.vendor?.payload);
    expect(JSON.stringify(await sentAs(turn))).toContain(id);

    // The payload does not belong to a request with another model, a removed text or a call under another name.
    expect(JSON.stringify(await sentAs(turn, facts, "model-2"))).not.toContain(id);
    expect(await sentAs({ ...turn, text: "[redacted]" })).toMatchObject({ content: "[redacted]" });
    const renamed = turn.calls.map((call) => ({ ...call, name: "count" }));
    expect(await sentAs({ ...turn, calls: renamed })).toMatchObject({ tool_calls: [{ function: { name: "count" } }] });
  });

  it("does not send malformed arguments of an own turn back", async () => {
    await using stream = await testStream(
      deltas("tool_calls", { tool_calls: [{ index: 0, id: "a", function: { name: "lookup", arguments: "{" } }] }),
    );
    const provider = ollamaModel({ model: "model-1", apiKey: null, baseUrl: stream.url, facts });
    const { reply } = await outcome(provider);
    await outcome(provider, asking({ transcript: [userSays("Go."), ...kept(reply, "ollama")] }));
    const turn = messagesIn(stream.bodies[1])[2];
    expect(turn).toMatchObject({ tool_calls: [{ function: { arguments: '{"_unreadable":"{"}' } }] });
  });
});
