import type { ContentBlock, Message } from "@aws-sdk/client-bedrock-runtime";
import type { Json, TranscriptEntry } from "@toolbus/contracts";
import type { AskedMessage } from "@toolbus/model-servers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTranscript } from "../conformance/any-transcript.ts";
import { lookup, resultEntry, seedTurn, userEntry } from "../conformance/requests.ts";
import { expectSameConversation } from "../conformance/same-conversation.ts";
import { GO_ON, OPENING } from "../adapter/message-turns.ts";
import { wireTools } from "../adapter/wire-tools.ts";
import { converseMessages } from "./messages.ts";

const model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const facts = { contextTokens: 200_000, maxOutputTokens: 8192, vision: true, sampling: true, resultChars: 64_000, price: null };
const settings = { model, apiKey: null, baseUrl: null, facts };
const tools = wireTools([lookup], "bedrock");
const head = { system: "You look after orders." };

function messagesOf(transcript: readonly TranscriptEntry[]): readonly Message[] {
  return converseMessages(transcript, { tools, settings, head }).messages;
}

/** Converts messages back to the neutral form, without the additions for the vendor's rules. */
function readBack(messages: readonly Message[]): readonly AskedMessage[] {
  return messages.flatMap(({ role, content = [] }): readonly AskedMessage[] => {
    const text = content.map((block) => block.text ?? "").join("");
    if (role === "assistant") {
      const used = content.flatMap(({ toolUse }) => (toolUse ? [toolUse] : []));
      return [
        { role, text, calls: used.map(({ toolUseId = "", name = "", input }) => ({ id: toolUseId, name, arguments: input as Json })) },
      ];
    }
    const results = content.flatMap(({ toolResult }) => (toolResult ? [toolResult] : []));
    const back = results.map(({ toolUseId = "", content: [first] = [], status }) => ({
      role: "tool" as const,
      id: toolUseId,
      content: first?.json === undefined ? (first?.text ?? "") : JSON.stringify(first.json),
      isError: status === "error",
    }));
    return text === "" || text === OPENING || text === GO_ON ? back : [...back, { role: "user", text }];
  });
}

function resultOf(content: string, isError = false): unknown {
  const call = { id: "c1", name: lookup.name, arguments: "{}" };
  return messagesOf([userEntry("Look."), seedTurn("", call), resultEntry("c1", lookup.name, content, isError)])[2]?.content?.[0]
    ?.toolResult;
}

describe("messages for Bedrock", () => {
  const asked = userEntry("Look.");
  const call = { id: "t1", name: lookup.name, arguments: "{}" };
  const prefix = converseMessages([asked], { tools, settings, head }).prefix();
  const sent = (turn: TranscriptEntry): readonly ContentBlock[] =>
    messagesOf([asked, turn, resultEntry("t1", lookup.name, "{}")])[1]?.content ?? [];

  it("read back are the transcript, with calls and results paired, for any transcript", () => {
    fc.assert(
      fc.property(anyTranscript, (transcript) => {
        const messages = messagesOf(transcript);
        const roles = messages.map(({ role }) => role);
        expect(roles).toEqual(roles.map((_, n) => (n % 2 === 0 ? "user" : "assistant")));
        expect(roles.at(-1)).toBe("user");
        const back = readBack(messages);
        expectSameConversation(back, transcript, true);
        const ids = back.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ id }) => id) : []));
        expect(new Set(ids).size).toBe(ids.length);
        expect(messages.flatMap(({ content = [] }) => content).filter(({ text }) => text?.trim() === "")).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("send a success as JSON if it is an object, and as text if it is not or would lose something", () => {
    expect(resultOf('{"found":true}')).toEqual({ toolUseId: "c1", content: [{ json: { found: true } }] });
    for (const text of ["[1,2]", "12", "plain", '{"id":12345678901234567890}', '{"__proto__":1}', '{"n":1e400}'])
      expect(resultOf(text)).toEqual({ toolUseId: "c1", content: [{ text }] });
    expect(resultOf("")).toEqual({ toolUseId: "c1", content: [{ text: "(no output)" }] });
  });

  it("send a failure as text, marked as one", () => {
    expect(resultOf('{"error":"gone"}', true)).toEqual({ toolUseId: "c1", content: [{ text: '{"error":"gone"}' }], status: "error" });
  });

  it("send a turn of this model back unchanged, including redacted thinking", () => {
    const bytes = Buffer.from([0, 255, 7]);
    const content = [
      { reasoningContent: { redactedContent: bytes.toString("base64") } },
      { reasoningContent: { reasoningText: { text: "Hm.", signature: "sig" } } },
      { toolUse: { toolUseId: "t1", name: lookup.name, input: { reasoningContent: "7" } } },
    ];
    const payload = { content, prefix };
    const own = { ...seedTurn("", call), vendor: { api: "bedrock.converse", model, payload } };
    expect(sent(own)).toEqual([{ reasoningContent: { redactedContent: bytes } }, ...content.slice(1)]);
    for (const vendor of [
      { ...own.vendor, model: "another" },
      { ...own.vendor, api: "other" },
      { ...own.vendor, payload: content },
      { ...own.vendor, payload: { content: ["x"] } },
      { ...own.vendor, payload: null },
    ])
      expect(sent({ ...own, vendor })).toEqual([{ toolUse: { toolUseId: "t1", name: lookup.name, input: {} } }]);
  });

  it("leave out signed thinking that was made after another prefix, or after a blank text that is left out", () => {
    const signed = { reasoningContent: { reasoningText: { text: "Hm.", signature: "sig" } } };
    const redacted = { reasoningContent: { redactedContent: Buffer.from("x").toString("base64") } };
    const plain = { reasoningContent: { reasoningText: { text: "Nobody signs this." } } };
    const used = { toolUse: { toolUseId: "t1", name: lookup.name, input: {} } };
    const holding = (content: Json, behind = prefix): TranscriptEntry => ({
      ...seedTurn("", call),
      vendor: { api: "bedrock.converse", model, payload: { content, prefix: behind } },
    });
    expect(sent(holding([signed, redacted, plain, used], "elsewhere"))).toEqual([plain, used]);
    expect(sent(holding([signed, { text: " " }, redacted, used]))).toEqual([signed, used]);
    const behindAnother = messagesOf([asked, seedTurn("I begin."), holding([signed, used]), resultEntry("t1", lookup.name, "{}")])[1];
    expect(behindAnother?.content).toEqual([{ text: "I begin." }, used]);
  });

  it("mark the end for the cache only if the model has one", () => {
    const price = { input: 3_000_000, output: 15_000_000, cacheRead: 300_000, cacheWrite: 3_750_000 };
    const marked = (id: string, has: boolean) =>
      JSON.stringify(
        converseMessages([asked], { tools, settings: { ...settings, model: id, facts: { ...facts, price: has ? price : null } }, head }),
      );
    expect(marked(model, true)).toContain("cachePoint");
    expect(marked(model, false)).not.toContain("cachePoint");
    expect(marked("meta.llama4-scout-17b-instruct-v1:0", true)).not.toContain("cachePoint");
  });
});
