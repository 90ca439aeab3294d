import type Anthropic from "@anthropic-ai/sdk";
import type { Json, JsonObject, TranscriptEntry } from "@toolbus/contracts";
import type { AskedMessage } from "@toolbus/model-servers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTranscript } from "../conformance/any-transcript.ts";
import { lookup, resultEntry, seedTurn, userEntry } from "../conformance/requests.ts";
import { expectSameConversation } from "../conformance/same-conversation.ts";
import { GO_ON, OPENING } from "../adapter/message-turns.ts";
import { wireTools } from "../adapter/wire-tools.ts";
import { anthropicMessages } from "./messages.ts";

const model = "claude-sonnet-5-5";
const tools = wireTools([lookup], "anthropic");
const head = { system: "You look after orders." };

function messagesOf(transcript: readonly TranscriptEntry[]): readonly Anthropic.MessageParam[] {
  return anthropicMessages(transcript, { tools, model, head }).messages;
}

function blocksOf({ content }: Anthropic.MessageParam): readonly Anthropic.ContentBlockParam[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Converts messages back to the neutral form, without the additions for the vendor's rules. */
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

  it("are the same for the same transcript, and begin the same when it grows, so that the cache finds them", () => {
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
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "sig" },
      { type: "text", text: "I look.", citations: null },
      { type: "text", text: " \n", citations: null },
      { type: "tool_use", id: "toolu_1", name: lookup.name, input: { id: "7" }, caller: { type: "direct" } },
    ];
    const asked = userEntry("Look.");
    const prefix = anthropicMessages([asked], { tools, model, head }).prefix();
    const call = { id: "toolu_1", name: lookup.name, arguments: '{"id":"7"}' };
    const own = { ...seedTurn("I look. \n", call), vendor: { api: "anthropic.messages", model, payload: { content, prefix } } };
    const sent = (turn: TranscriptEntry) => {
      const message = messagesOf([asked, turn, resultEntry("toolu_1", lookup.name, "{}")])[1];
      return message ? blocksOf(message) : [];
    };
    const holding = (...blocks: readonly JsonObject[]): TranscriptEntry => ({
      ...own,
      vendor: { ...own.vendor, payload: { content: blocks, prefix } },
    });

    it("send it back unchanged, except for a blank text", () => {
      expect(sent(own)).toEqual([content[0], content[1], content[3]]);
    });

    it("leave out thinking of both kinds if it was made after another prefix, or after a blank text that is left out", () => {
      const [thinking = {}, said = {}, blank = {}, used = {}] = content;
      const redacted = { type: "redacted_thinking", data: "sig" };
      const elsewhere = { ...own.vendor, payload: { content: [thinking, redacted, said, used], prefix: "elsewhere" } };
      expect(sent({ ...own, vendor: elsewhere })).toEqual([said, used]);
      expect(sent({ ...own, vendor: { ...elsewhere, payload: { content: elsewhere.payload.content } } })).toEqual([said, used]);
      const behindAnother = messagesOf([asked, seedTurn("I begin."), own, resultEntry("toolu_1", lookup.name, "{}")])[1];
      expect(behindAnother && blocksOf(behindAnother)).toEqual([{ type: "text", text: "I begin." }, said, used]);
      expect(sent(holding(thinking, redacted, said, used))).toEqual([thinking, redacted, said, used]);
      expect(sent(holding(thinking, said, blank, thinking, redacted, used))).toEqual([thinking, said, used]);
    });

    it.each<[string, TranscriptEntry]>([
      ["of another model", { ...own, vendor: { ...own.vendor, model: "claude-opus-5" } }],
      ["of another wire format", { ...own, vendor: { ...own.vendor, api: "bedrock.converse" } }],
      ["without its call", { ...own, vendor: { ...own.vendor, payload: { content: content.slice(0, 3), prefix } } }],
      [
        "with another call",
        { ...own, vendor: { ...own.vendor, payload: { content: [...content.slice(0, 3), { ...content[3], id: "toolu_2" }], prefix } } },
      ],
      [
        "of another tool",
        { ...own, vendor: { ...own.vendor, payload: { content: [...content.slice(0, 3), { ...content[3], name: "restock" }], prefix } } },
      ],
      ["that says something else", { ...own, text: "I look no more." }],
      ["that has no list", { ...own, vendor: { ...own.vendor, payload: { type: "text" } } }],
      ["that is a list", { ...own, vendor: { ...own.vendor, payload: content } }],
    ])("rewrite it from the neutral form if it is %s", (_, turn) => {
      const blocks = sent(turn);
      expect(JSON.stringify(blocks)).not.toContain("sig");
      expect(blocks.at(-1)).toEqual({ type: "tool_use", id: "toolu_1", name: lookup.name, input: { id: "7" } });
    });
  });
});
