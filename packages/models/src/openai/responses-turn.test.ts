import type { Json } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { openaiResponsesModel } from "./openai-responses-model.ts";
import { asking, count, events, facts, failure, kept, lookup, outcome, testStream, userSays } from "../testing/test-stream.ts";

async function setup(all: readonly Json[]) {
  const stream = await testStream(events(...all));
  const provider = openaiResponsesModel({ model: "gpt-1", apiKey: "k", baseUrl: stream.url, facts });
  return { stream, provider, [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose]() };
}

const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" };
const message = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
const call = (n: number, more: object = {}) => ({
  type: "function_call",
  id: `fc_${n}`,
  call_id: `call_${n}`,
  name: "lookup",
  arguments: '{"id":"7"}',
  status: "completed",
  ...more,
});
const usage = {
  input_tokens: 30,
  output_tokens: 12,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
  output_tokens_details: { reasoning_tokens: 5 },
};
const end = (output: readonly Json[], more: object = {}) =>
  ({ type: "response.completed", response: { status: "completed", model: "gpt-1-2026", output, usage, ...more } }) as Json;
const begun = { type: "response.created", response: { status: "in_progress" } };
const text = (delta: string) => ({ type: "response.output_text.delta", output_index: 1, delta });

const turn = [
  begun,
  { type: "response.output_item.added", output_index: 0, item: { ...reasoning, encrypted_content: null } },
  { type: "response.output_item.done", output_index: 0, item: reasoning },
  text("I look"),
  text(" it up."),
  { type: "response.output_item.added", output_index: 2, item: call(1, { arguments: "" }) },
  { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"id"' },
  { type: "response.function_call_arguments.delta", output_index: 2, delta: ':"7"}' },
  end([reasoning, message("I look it up."), call(1)]),
];

describe("a turn of the Responses API", () => {
  it("joins text and calls from the events, and counts each class of tokens", async () => {
    await using bundle = await setup(turn);
    const { reply, text: heard, heard: written } = await outcome(bundle.provider);
    expect(reply).toEqual({
      text: "I look it up.",
      stop: "tool_use",
      model: "gpt-1-2026",
      calls: [{ id: "call_1", name: "lookup", arguments: '{"id":"7"}' }],
      usage: { inputTokens: 30, outputTokens: 12, cacheReadTokens: 8, cacheWriteTokens: 4, reasoningTokens: 5 },
      vendor: { api: "openai.responses", model: "gpt-1", payload: [reasoning, message("I look it up."), call(1)] },
    });
    expect(heard).toBe(reply.text);
    expect(written).toEqual(['0 lookup {"id"', '0 lookup :"7"}']);
  });

  it("is requested without storage, with flat tools and encrypted reasoning", async () => {
    await using bundle = await setup(turn);
    await outcome(bundle.provider, asking({ toolChoice: "tool:count", parallelCalls: false, temperature: 0.1 }));
    expect(bundle.stream.bodies[0]).toMatchObject({
      model: "gpt-1",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      instructions: "You help.",
      max_output_tokens: 100,
      temperature: 0.1,
      parallel_tool_calls: false,
      tool_choice: { type: "function", name: "count" },
      input: [{ role: "user", content: "Look up 7." }],
      tools: [lookup, count].map(({ name }) => ({ type: "function", name, strict: expect.any(Boolean) })),
    });
  });

  it("goes back unchanged, reasoning first, followed by its results", async () => {
    await using bundle = await setup(turn);
    const { reply } = await outcome(bundle.provider);
    await outcome(bundle.provider, asking({ transcript: [userSays("Go."), ...kept(reply, "openai")] }));
    expect(bundle.stream.bodies[1]?.["input"]).toEqual([
      { role: "user", content: "Go." },
      reasoning,
      message("I look it up."),
      call(1),
      { type: "function_call_output", call_id: "call_1", output: "of lookup" },
    ]);
  });

  it("of another vendor is rebuilt from the neutral form", async () => {
    await using bundle = await setup(turn);
    const { reply } = await outcome(bundle.provider);
    const { vendor, ...foreign } = reply;
    expect(vendor).toBeDefined();
    await outcome(bundle.provider, asking({ transcript: [userSays("Go."), ...kept(foreign, "anthropic")] }));
    expect(bundle.stream.bodies[1]?.["input"]).toEqual([
      { role: "user", content: "Go." },
      { role: "assistant", content: "I look it up." },
      { type: "function_call", call_id: "call_1", name: "lookup", arguments: '{"id":"7"}' },
      { type: "function_call_output", call_id: "call_1", output: "of lookup" },
    ]);
  });

  it("replaces repeated and missing call ids, in the items too", async () => {
    await using bundle = await setup([begun, end([call(1), call(1), call(2, { call_id: "" })])]);
    const { reply } = await outcome(bundle.provider);
    const ids = reply.calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(reply.vendor?.payload).toMatchObject(ids.map((id) => ({ call_id: id })));
  });

  it("uses the items from their own events if the last event does not repeat them", async () => {
    await using bundle = await setup([begun, { type: "response.output_item.done", output_index: 0, item: message("All of it.") }, end([])]);
    const { reply, text: heard } = await outcome(bundle.provider);
    expect(reply).toMatchObject({ text: "All of it.", stop: "end_turn" });
    expect(heard).toBe("All of it.");
  });

  it.each([
    ["max_output_tokens", "max_tokens"],
    ["content_filter", "refusal"],
  ])("that is incomplete by %s ends as %s, and keeps neither calls nor items", async (reason, stop) => {
    const incomplete = {
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason }, output: [reasoning, call(1)], usage },
    };
    await using bundle = await setup([begun, text("So far"), incomplete]);
    const { reply } = await outcome(bundle.provider);
    expect(reply).toMatchObject({ text: "So far", stop, calls: [] });
    expect(reply.vendor).toBeUndefined();
  });

  it("that is a refusal says so", async () => {
    const refused = { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "I cannot." }] };
    await using bundle = await setup([begun, { type: "response.refusal.delta", delta: "I cannot." }, end([refused])]);
    expect((await outcome(bundle.provider)).reply).toMatchObject({ text: "I cannot.", stop: "refusal", calls: [] });
  });

  it("drops calls that were not allowed", async () => {
    await using bundle = await setup(turn);
    const { reply, heard } = await outcome(bundle.provider, asking({ toolChoice: "none" }));
    expect(reply).toMatchObject({ calls: [], stop: "end_turn" });
    expect(reply.vendor).toBeUndefined();
    expect(heard).toEqual([]);
  });

  it("never becomes a reply before it is complete", async () => {
    await using bundle = await setup([begun, text("So far")]);
    expect(await failure(bundle.provider)).toMatchObject({ name: "NetworkError", retryable: true });
  });

  it("does not guess what an unknown reason means", async () => {
    await using bundle = await setup([
      begun,
      { type: "response.incomplete", response: { status: "incomplete", incomplete_details: { reason: "steered" } } },
    ]);
    expect(await failure(bundle.provider)).toMatchObject({ name: "ProviderError", retryable: false });
  });
});
