import type { ConverseStreamOutput } from "@aws-sdk/client-bedrock-runtime";
import { describe, expect, it } from "vitest";
import { contextOf, lookup, requestOf } from "../conformance/requests.ts";
import { NetworkError, ProviderError } from "../model-errors.ts";
import { wireTools } from "../adapter/wire-tools.ts";
import { readMessage } from "./read-message.ts";
import { replyOf } from "./reply.ts";

const request = requestOf([]);
const tools = wireTools([lookup], "bedrock");

/** Reads events as they arrive over the wire, including events for which the SDK has no type. */
async function read(...events: readonly object[]) {
  async function* stream() {
    for (const event of events) yield event as ConverseStreamOutput;
  }
  const deltas: string[] = [];
  const message = await readMessage(stream(), { request, tools, context: contextOf(deltas) });
  return { reply: () => replyOf(message, { request, tools, model: "m", prefix: () => "behind this" }), deltas };
}

const text = [
  { messageStart: { role: "assistant" } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hello" } } },
  { contentBlockStop: { contentBlockIndex: 0 } },
];
const stop = (stopReason: string) => ({ messageStop: { stopReason } });
const metadata = { metadata: { usage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 100, cacheWriteInputTokens: 1000 } } };

describe("a message of Bedrock", () => {
  it("is read from its events, ignoring unknown ones", async () => {
    const { reply, deltas } = await read(...text, { $unknown: ["made_up", {}] }, stop("end_turn"), metadata);
    expect(reply()).toMatchObject({ text: "Hello", stop: "end_turn", model: "m" });
    expect(deltas).toEqual(["Hello"]);
  });

  it("counts the whole prompt, including cache reads and writes", async () => {
    const { reply } = await read(...text, stop("end_turn"), metadata);
    expect(reply().usage).toEqual({ inputTokens: 1110, cacheReadTokens: 100, cacheWriteTokens: 1000, outputTokens: 5 });
  });

  it("keeps redacted thinking in a form that JSON can carry", async () => {
    const delta = (n: number) => ({
      contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent: Uint8Array.of(n) } } },
    });
    const { reply } = await read(text[0] ?? {}, delta(0), delta(255), ...text.slice(2), stop("end_turn"), metadata);
    expect(reply().vendor?.payload).toEqual({
      content: [{ reasoningContent: { redactedContent: Buffer.from([0, 255]).toString("base64") } }],
      prefix: "behind this",
    });
  });

  it.each<[string, readonly object[]]>([
    ["before its end", text],
    ["in the middle of a block", [...text.slice(0, 2), stop("end_turn"), metadata]],
  ])("gives nothing if the stream breaks off %s", async (_, events) => {
    await expect(read(...events)).rejects.toBeInstanceOf(NetworkError);
  });

  it.each<[string, readonly object[]]>([
    ["a piece of a block that has ended", [...text, text[1] ?? {}, stop("end_turn")]],
    ["the end of a block twice", [...text, text[2] ?? {}, stop("end_turn")]],
    ["a piece without a place", [{ contentBlockDelta: { delta: { text: "x" } } }, stop("end_turn")]],
  ])("cannot be read with %s", async (_, events) => {
    await expect(read(...events)).rejects.toBeInstanceOf(ProviderError);
  });

  it.each<[string, boolean]>([
    ["malformed_tool_use", true],
    ["malformed_model_output", true],
    ["made_up", false],
  ])("is not used if it stopped for %s", async (reason, retryable) => {
    const { reply } = await read(...text, stop(reason), metadata);
    expect(reply).toThrow(ProviderError);
    expect(reply).toThrow(expect.objectContaining({ retryable, message: expect.stringContaining(reason) }));
  });
});
