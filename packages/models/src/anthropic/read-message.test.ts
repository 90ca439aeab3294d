import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { contextOf, lookup, requestOf } from "../conformance/requests.ts";
import { NetworkError, ProviderError } from "../model-errors.ts";
import { wireTools } from "../adapter/wire-tools.ts";
import { readMessage } from "./read-message.ts";
import { replyOf } from "./reply.ts";

const request = requestOf([]);
const tools = wireTools([lookup], "anthropic");
const replying = { request, tools, prefix: () => "behind this" };

/** Reads events as they arrive over the wire, including events for which the SDK has no type. */
async function read(...events: readonly object[]) {
  async function* stream() {
    for (const event of events) yield event as Anthropic.RawMessageStreamEvent;
  }
  const deltas: string[] = [];
  const message = await readMessage(stream(), { request, tools, context: contextOf(deltas) });
  return { message, deltas };
}

const start = { type: "message_start", message: { model: "claude-sonnet-5-5-20261001", usage: { input_tokens: 10, output_tokens: 1 } } };
const text = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "", citations: null } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  { type: "content_block_stop", index: 0 },
];
const end = [
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

describe("a message of Anthropic", () => {
  it("is read from its events, ignoring unknown ones", async () => {
    const odd = { type: "content_block_delta", index: 0, delta: { type: "made_up_delta" } };
    const { message, deltas } = await read(start, { type: "made_up" }, ...text.slice(0, 2), odd, ...text.slice(2), ...end);
    expect(message.blocks.map((block) => block.text)).toEqual(["Hello"]);
    expect(deltas).toEqual(["Hello"]);
  });

  it("counts the whole prompt, including cache reads and writes, and thinking separately", async () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 1000, output_tokens: 1 };
    const { message } = await read(
      { ...start, message: { ...start.message, usage } },
      ...text,
      {
        ...end[0],
        usage: {
          input_tokens: null,
          cache_read_input_tokens: null,
          cache_creation_input_tokens: 1001,
          output_tokens: 7,
          output_tokens_details: { thinking_tokens: 3 },
        },
      },
      { type: "message_stop" },
    );
    expect(replyOf(message, { ...replying, model: "claude-sonnet-5-5" })).toMatchObject({
      model: "claude-sonnet-5-5-20261001",
      usage: { inputTokens: 1111, cacheReadTokens: 100, cacheWriteTokens: 1001, outputTokens: 7, reasoningTokens: 3 },
    });
  });

  it.each<[string, readonly object[]]>([
    ["before it began", []],
    ["before its end", [start, ...text]],
    ["before the last event", [start, ...text, ...end.slice(0, 1)]],
    ["in the middle of a block", [start, ...text.slice(0, 2), ...end]],
  ])("gives nothing if the stream breaks off %s", async (_, events) => {
    await expect(read(...events)).rejects.toBeInstanceOf(NetworkError);
  });

  it.each<[string, readonly object[]]>([
    ["a piece of a block that never began", [start, ...text.slice(1), ...end]],
    ["a piece of a block that has ended", [start, ...text, text[1] ?? {}, ...end]],
    ["the end of a block twice", [start, ...text, text[2] ?? {}, ...end]],
  ])("cannot be read with %s", async (_, events) => {
    await expect(read(...events)).rejects.toBeInstanceOf(ProviderError);
  });

  it.each([null, "made_up"])("is not used if it stopped for the unknown reason %j", async (reason) => {
    const { message } = await read(start, ...text, { ...end[0], delta: { stop_reason: reason } }, { type: "message_stop" });
    expect(() => replyOf(message, { ...replying, model: "m" })).toThrow(ProviderError);
    expect(() => replyOf(message, { ...replying, model: "m" })).toThrow(JSON.stringify(reason));
  });

  it("keeps the work of the vendor's own tools, but calls nothing for it", async () => {
    const own = [
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"query":"x"}' } },
      { type: "content_block_stop", index: 0 },
    ];
    const { message } = await read(start, ...own, { ...end[0], delta: { stop_reason: "pause_turn" } }, { type: "message_stop" });
    expect(replyOf(message, { ...replying, model: "m" })).toMatchObject({
      stop: "pause",
      calls: [],
      vendor: { payload: { content: [{ type: "server_tool_use", input: { query: "x" } }] } },
    });
  });
});
