import { describe, expect, it } from "vitest";
import { compatibleModel } from "../compatible/compatible-model.ts";
import { ollamaModel } from "../ollama/ollama-model.ts";
import { openrouterModel } from "../openrouter/openrouter-model.ts";
import { openaiModel } from "./openai-model.ts";
import { type Answer, asking, deltas, events, facts, failure, kept, outcome, testStream, userSays } from "../testing/test-stream.ts";

const families = { openai: openaiModel, openrouter: openrouterModel, ollama: ollamaModel, compatible: compatibleModel };

async function setup(answer: Answer, family: keyof typeof families = "openai") {
  const stream = await testStream(answer);
  const provider = families[family]({ model: "model-1", apiKey: "key-of-the-test", baseUrl: stream.url, facts });
  return { stream, provider, [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose]() };
}

const piece = (index: number | null, id: string | null, name: string | null, written: string) => ({
  tool_calls: [
    {
      ...(index === null ? {} : { index }),
      ...(id === null ? {} : { id }),
      function: { ...(name === null ? {} : { name }), arguments: written },
    },
  ],
});

describe("a turn in chunks", () => {
  it("joins the pieces of text and of each call's arguments, and reports both as they arrive", async () => {
    await using bundle = await setup(
      deltas(
        "tool_calls",
        { role: "assistant", content: "" },
        { content: "I look" },
        { content: " it up." },
        piece(0, "call_a", "lookup", ""),
        piece(1, "call_b", "count", '{"id":'),
        piece(0, null, null, '{"id":"7"}'),
        piece(1, null, null, '"8"}'),
      ),
    );
    const { reply, text, heard } = await outcome(bundle.provider);
    expect(reply).toMatchObject({
      text: "I look it up.",
      stop: "tool_use",
      model: "model-exact",
      calls: [
        { id: "call_a", name: "lookup", arguments: '{"id":"7"}' },
        { id: "call_b", name: "count", arguments: '{"id":"8"}' },
      ],
    });
    expect(text).toBe(reply.text);
    expect(heard).toEqual(['1 count {"id":', '0 lookup {"id":"7"}', '1 count "8"}']);
  });

  it.each([
    ["without an index", [piece(null, "a", "lookup", '{"id":"1"}'), piece(null, "b", "lookup", '{"id":"2"}')]],
    ["all of the index 0", [piece(0, "a", "lookup", '{"id":"1"}'), piece(0, "b", "lookup", '{"id":"2"}')]],
    ["all of the index 0, without ids", [piece(0, "", "lookup", '{"id":"1"}'), piece(0, "", "lookup", '{"id":"2"}')]],
    ["of one id", [piece(0, "a", "lookup", '{"id":"1"}'), piece(1, "a", "lookup", '{"id":"2"}')]],
    [
      "with arguments as an object",
      [
        {
          tool_calls: [{ function: { name: "lookup", arguments: { id: "1" } } }, { function: { name: "lookup", arguments: { id: "2" } } }],
        },
      ],
    ],
  ])("separates whole calls that come %s", async (_, pieces) => {
    await using bundle = await setup(deltas("tool_calls", ...pieces), "ollama");
    const { reply } = await outcome(bundle.provider);
    expect(reply.calls.map((call) => call.arguments)).toEqual(['{"id":"1"}', '{"id":"2"}']);
    expect(new Set(reply.calls.map(({ id }) => id)).size).toBe(2);
    expect(reply.calls.map(({ id }) => id)).not.toContain("");
  });

  it("counts one call once although each of its pieces repeats id and name", async () => {
    await using bundle = await setup(deltas("tool_calls", piece(0, "a", "lookup", '{"id"'), piece(0, "a", "lookup", ':"1"}')));
    expect((await outcome(bundle.provider)).reply.calls).toEqual([{ id: "a", name: "lookup", arguments: '{"id":"1"}' }]);
  });

  it("gives a call another id if the transcript already has it, and uses that id in the stored turn too", async () => {
    await using bundle = await setup(deltas("tool_calls", piece(0, "call_0", "lookup", "{}")), "ollama");
    const first = await outcome(bundle.provider);
    const transcript = [userSays("Look."), ...kept(first.reply, "ollama")];
    const { reply } = await outcome(bundle.provider, asking({ transcript }));
    expect(reply.calls[0]?.id).not.toBe("call_0");
    expect(reply.vendor?.payload).toMatchObject({ tool_calls: [{ id: reply.calls[0]?.id }] });
  });

  it("passes malformed arguments on unchanged, and turns missing ones into an empty object", async () => {
    await using bundle = await setup(deltas("tool_calls", piece(0, "a", "lookup", '{"id": "7'), piece(1, "b", "count", "")));
    expect((await outcome(bundle.provider)).reply.calls.map((call) => call.arguments)).toEqual(['{"id": "7', "{}"]);
  });

  it("ignores calls of a kind that it did not offer", async () => {
    const custom = { tool_calls: [{ index: 0, id: "x", type: "custom", custom: { name: "shell", input: "ls" } }] };
    await using bundle = await setup(deltas("tool_calls", custom, piece(1, "b", "count", "{}")));
    const { reply, heard } = await outcome(bundle.provider);
    expect(reply.calls.map(({ name }) => name)).toEqual(["count"]);
    expect(heard).toEqual(["0 count {}"]);
  });

  it.each([
    ["stop", [{ content: "Done." }], "end_turn", 0],
    ["stop", [piece(0, "a", "lookup", "{}")], "tool_use", 1],
    ["tool_calls", [{ content: "None after all." }], "end_turn", 0],
    ["length", [{ content: "I was" }, piece(0, "a", "lookup", '{"id')], "max_tokens", 0],
    ["content_filter", [{ content: "It is" }], "refusal", 0],
    ["stop", [{ refusal: "I cannot" }, { refusal: " help." }], "refusal", 0],
  ] as const)("ends with finish_reason %s of %j as %s", async (finish, said, stop, calls) => {
    await using bundle = await setup(deltas(finish, ...said));
    const { reply, text } = await outcome(bundle.provider);
    expect(reply.stop).toBe(stop);
    expect(reply.calls).toHaveLength(calls);
    expect(reply.text).toBe(text);
  });

  it("does not guess what an unknown finish_reason means", async () => {
    await using bundle = await setup(deltas("paused_for_lunch", { content: "Well" }));
    const error = await failure(bundle.provider);
    expect(error).toMatchObject({ name: "ProviderError", retryable: false });
    expect(String(error)).toContain("paused_for_lunch");
  });

  it.each([
    ["openrouter", "error"],
    ["compatible", "insufficient_system_resource"],
  ] as const)("allows a retry of a reply that %s breaks off with %s", async (family, finish) => {
    await using bundle = await setup(deltas(finish, { content: "Well" }), family);
    expect(await failure(bundle.provider)).toMatchObject({ name: "ProviderError", retryable: true });
  });

  it("drops calls that were not allowed", async () => {
    await using bundle = await setup(deltas("tool_calls", { content: "Hm." }, piece(0, "a", "lookup", "{}")));
    for (const request of [asking({ toolChoice: "none" }), asking({ tools: [] })]) {
      const { reply, heard } = await outcome(bundle.provider, request);
      expect(reply).toMatchObject({ text: "Hm.", calls: [], stop: "end_turn", vendor: { payload: { role: "assistant", content: "Hm." } } });
      expect(reply.vendor?.payload).not.toHaveProperty("tool_calls");
      expect(heard).toEqual([]);
    }
  });

  it("keeps no thinking of dropped calls, and nothing of an empty turn", async () => {
    const thought = { reasoning_details: [{ type: "reasoning.encrypted", data: "secret" }] };
    await using bundle = await setup(deltas("tool_calls", thought, { content: "Hm." }, piece(0, "a", "lookup", "{}")), "openrouter");
    const { reply } = await outcome(bundle.provider, asking({ toolChoice: "none" }));
    expect(reply.vendor?.payload).toEqual({ role: "assistant", content: "Hm." });
    await using silent = await setup(deltas("stop", thought), "openrouter");
    expect((await outcome(silent.provider)).reply).not.toHaveProperty("vendor");
  });

  it("is complete without [DONE], without a last blank line and with usage in any chunk", async () => {
    await using bundle = await setup((response) => {
      const usage = { prompt_tokens: 11, completion_tokens: 3, prompt_tokens_details: null };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`: hello\r\n\r\ndata:${JSON.stringify({ choices: [{ delta: { content: "Yes." }, finish_reason: "" }] })}\r\n\r\n`);
      response.end(`event: x\ndata: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }], usage })}`);
    }, "compatible");
    const { reply } = await outcome(bundle.provider);
    expect(reply).toMatchObject({ text: "Yes.", stop: "end_turn", model: "model-1", usage: { inputTokens: 11, outputTokens: 3 } });
    expect(reply.usage.estimated).toBeUndefined();
  });

  it("does not wait for a server that keeps a stream open after its end, and closes the connection", async () => {
    const left = Promise.withResolvers<void>();
    await using bundle = await setup((response) => {
      response.on("close", () => left.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: "Yes." }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`);
    });
    expect((await outcome(bundle.provider)).reply.text).toBe("Yes.");
    await left.promise;
  });

  it("estimates usage that the vendor did not report, and says so", async () => {
    await using bundle = await setup(deltas("stop", { content: "It is done by now." }));
    const { usage } = (await outcome(bundle.provider)).reply;
    expect(usage.estimated).toBe(true);
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it("reads cached, written and reasoning tokens separately, and the cost in millionths of a dollar", async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 32 },
      completion_tokens_details: { reasoning_tokens: 40 },
      cost: 0.0012345,
    };
    const chunk = { choices: [{ delta: { content: "Yes." }, finish_reason: "stop" }] };
    await using bundle = await setup(events(chunk, { choices: [], usage }, "[DONE]"), "openrouter");
    expect((await outcome(bundle.provider)).reply.usage).toEqual({
      inputTokens: 100,
      outputTokens: 50,
      cacheReadTokens: 64,
      cacheWriteTokens: 32,
      reasoningTokens: 40,
      costMicroUsd: 1235,
    });
  });

  it("reports nothing more once its listener has aborted, not even from the same chunk", async () => {
    await using bundle = await setup(deltas("tool_calls", { content: "One", ...piece(0, "a", "lookup", "{}") }, { content: "Two" }));
    const controller = new AbortController();
    const heard: string[] = [];
    const reason = new Error("enough");
    const ended = bundle.provider.complete(asking(), {
      signal: controller.signal,
      onText: (text) => {
        heard.push(text);
        controller.abort(reason);
      },
      onArguments: ({ text }) => void heard.push(text),
    });
    await expect(ended).rejects.toBe(reason);
    expect(heard).toEqual(["One"]);
  });

  it("survives chunks of any form without an unexpected error", async () => {
    const odd = [
      { choices: null },
      { choices: [] },
      { choices: [null] },
      { choices: [{ delta: null }] },
      { choices: [{ delta: { content: 7, tool_calls: "none", refusal: 3 } }] },
      { choices: [{ delta: { tool_calls: [null, 3, { function: null }, { function: { name: 7, arguments: 7 } }] } }] },
      {
        model: 7,
        usage: "much",
        choices: [{ delta: { content: [{ type: "text", text: "Yes." }, { type: "thinking" }, null] }, finish_reason: 0 }],
      },
    ];
    await using bundle = await setup(events(...odd, { choices: [{ delta: {}, finish_reason: "stop" }] }, "[DONE]"));
    expect((await outcome(bundle.provider)).reply).toMatchObject({ text: "Yes.", calls: [], stop: "end_turn" });
  });
});

describe("a model's thinking", () => {
  it("goes back to OpenRouter unchanged, with its pieces joined", async () => {
    const detail = (more: object) => ({
      reasoning_details: [{ type: "reasoning.text", format: "anthropic-claude-v1", index: 0, ...more }],
    });
    const encrypted = { type: "reasoning.encrypted", data: "secret", id: "rs_1", format: "openai-responses-v1", index: 1 };
    await using bundle = await setup(
      deltas(
        "tool_calls",
        { reasoning: "Let me", ...detail({ text: "Let me" }) },
        { reasoning: " see.", ...detail({ text: " see." }) },
        detail({ signature: "sig" }),
        { reasoning_details: [encrypted] },
        piece(0, "a", "lookup", "{}"),
      ),
      "openrouter",
    );
    const { reply } = await outcome(bundle.provider);
    expect(reply.text).toBe("");
    await outcome(bundle.provider, asking({ transcript: [userSays("Look."), ...kept(reply, "openrouter")] }));
    expect(bundle.stream.bodies[1]?.["messages"]).toMatchObject([
      {},
      {},
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "lookup", arguments: "{}" } }],
        reasoning_details: [{ type: "reasoning.text", text: "Let me see.", signature: "sig", index: 0 }, encrypted],
      },
      { role: "tool", tool_call_id: "a" },
    ]);
  });

  it.each([
    ["compatible", "reasoning_content"],
    ["ollama", "reasoning"],
  ] as const)("goes back to %s as %s", async (family, member) => {
    await using bundle = await setup(
      deltas("tool_calls", { [member]: "Let me" }, { [member]: " see." }, piece(0, "a", "lookup", "{}")),
      family,
    );
    const { reply } = await outcome(bundle.provider);
    await outcome(bundle.provider, asking({ transcript: [userSays("Look."), ...kept(reply, family)] }));
    expect(bundle.stream.bodies[1]?.["messages"]).toMatchObject([{}, {}, { role: "assistant", [member]: "Let me see." }, {}]);
  });
});
