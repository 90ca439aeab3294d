import type Anthropic from "@anthropic-ai/sdk";
import type { Json, TranscriptEntry } from "@toolbus/contracts";
import type { AskedMessage } from "@toolbus/testing/model-servers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTranscript } from "../conformance/any-transcript.ts";
import { lookup, resultEntry, seedTurn, userEntry } from "../conformance/requests.ts";
import { expectSameConversation } from "../conformance/same-conversation.ts";
import { GO_ON, OPENING } from "../message-turns.ts";
import { wireTools } from "../wire-tools.ts";
import { anthropicMessages, toolNamesIn } from "./messages.ts";

const model = "claude-sonnet-5-5";
const tools = wireTools([lookup], "anthropic");

function messagesOf(transcript: readonly TranscriptEntry[]): Anthropic.MessageParam[] {
  return anthropicMessages(transcript, tools, model);
}

function blocksOf({ content }: Anthropic.MessageParam): readonly Anthropic.ContentBlockParam[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The neutral form again, without what the vendor's rules added. */
function readBack(messages: readonly Anthropic.MessageParam[]): readonly AskedMessage[] {
  return messages.flatMap((message): readonly AskedMessage[] => {
    const blocks = blocksOf(message);
    const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
    const calls = blocks.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, arguments: block.input as Json }] : [],
    );
    const results = blocks.flatMap((block) =>
      block.type === "tool_result"
        ? [
            {
              role: "tool",
              id: block.tool_use_id,
              content: typeof block.content === "string" ? block.content : "",
              isError: block.is_error === true,
            } as const,
          ]
        : [],
    );
    if (message.role === "assistant") return [{ role: "assistant", text, calls }];
    return text === "" || text === OPENING || text === GO_ON ? results : [...results, { role: "user", text }];
  });
}

describe("messages for Anthropic", () => {
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
        const blocks = messages.flatMap(blocksOf);
        expect(blocks.filter((block) => block.type === "text" && block.text.trim() === "")).toEqual([]);
        expect(blocks.filter((block) => "cache_control" in block).length).toBeLessThanOrEqual(2);
        expect(JSON.parse(JSON.stringify(messages))).toEqual(messages);
      }),
      { numRuns: 500 },
    );
  });

  it("are the same again for the same transcript, and begin the same when it grows: the cache knows them by that", () => {
    const odd = seedTurn("", { id: "a b", name: lookup.name, arguments: "{}" });
    const transcript = [userEntry("Look."), odd, resultEntry("a b", lookup.name, "1"), odd, resultEntry("a b", lookup.name, "2")];
    const plain = (messages: readonly Anthropic.MessageParam[]) =>
      JSON.parse(JSON.stringify(messages, (key, value: unknown) => (key === "cache_control" ? undefined : value)));
    const shorter = plain(messagesOf(transcript.slice(0, 3)));
    expect(plain(messagesOf(transcript)).slice(0, shorter.length)).toEqual(shorter);
  });

  it("mark the ends of the last two messages of the user for the cache, and nothing else", () => {
    const call = { id: "c1", name: lookup.name, arguments: "{}" };
    const messages = messagesOf([
      userEntry("One."),
      seedTurn("Two."),
      userEntry("Three."),
      seedTurn("", call),
      resultEntry("c1", lookup.name, "{}"),
      userEntry("Four."),
    ]);
    const marked = messages.map((message) => blocksOf(message).map((block) => "cache_control" in block));
    expect(marked).toEqual([[false], [false], [true], [false], [false, true]]);
  });

  describe("with a turn of this model", () => {
    const payload = [
      { type: "thinking", thinking: "Hm.", signature: "sig" },
      { type: "text", text: "I look.", citations: null },
      { type: "text", text: " \n", citations: null },
      { type: "tool_use", id: "toolu_1", name: lookup.name, input: { id: "7" }, caller: { type: "direct" } },
    ];
    const call = { id: "toolu_1", name: lookup.name, arguments: '{"id":"7"}' };
    const own = { ...seedTurn("I look. \n", call), vendor: { api: "anthropic.messages", model, payload } };
    const sent = (turn: TranscriptEntry) => {
      const message = messagesOf([userEntry("Look."), turn, resultEntry("toolu_1", lookup.name, "{}")])[1];
      return message ? blocksOf(message) : [];
    };

    it("send it back as it came, but for a text that is blank", () => {
      expect(sent(own)).toEqual([payload[0], payload[1], payload[3]]);
    });

    it.each<[string, TranscriptEntry]>([
      ["of another model", { ...own, vendor: { ...own.vendor, model: "claude-opus-5" } }],
      ["of another wire format", { ...own, vendor: { ...own.vendor, api: "bedrock.converse" } }],
      ["without its call", { ...own, vendor: { ...own.vendor, payload: payload.slice(0, 3) } }],
      ["with another call", { ...own, vendor: { ...own.vendor, payload: [...payload.slice(0, 3), { ...payload[3], id: "toolu_2" }] } }],
      ["of another tool", { ...own, vendor: { ...own.vendor, payload: [...payload.slice(0, 3), { ...payload[3], name: "restock" }] } }],
      ["that says something else", { ...own, text: "I look no more." }],
      ["that is no list", { ...own, vendor: { ...own.vendor, payload: { type: "text" } } }],
    ])("write it anew from the neutral form when it is %s", (_, turn) => {
      const blocks = sent(turn);
      expect(JSON.stringify(blocks)).not.toContain("sig");
      expect(blocks.at(-1)).toEqual({ type: "tool_use", id: "toolu_1", name: lookup.name, input: { id: "7" } });
    });
  });

  it("know what was called", () => {
    const calls = ["a", "b", "a"].map((name, n) => ({ id: `c${n}`, name, arguments: "{}" }));
    expect(toolNamesIn(messagesOf([seedTurn("", ...calls), ...calls.map(({ id, name }) => resultEntry(id, name, "{}"))]))).toEqual([
      "a",
      "b",
    ]);
  });
});
