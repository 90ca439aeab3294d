import type { JsonObject } from "@toolbus/contracts";
import { firstDuplicate, isBlank, objectOf, textOf } from "../wire/fields.ts";
import type { Rule } from "../wire/rule.ts";
import { type AnthropicAsk, blocksOf, type Message, pausedTurn } from "./anthropic-ask.ts";
import { isOwnThinking, isPrefixUnchanged } from "./thinking-block.ts";

const docs = "https://platform.claude.com/docs/en";
const create = `${docs}/api/messages/create`;
const toolCalls = `${docs}/agents-and-tools/tool-use/handle-tool-calls`;
const versioning = `${docs}/api/versioning`;

/** The rules of the Messages API for the conversation. */
export const anthropicMessageRules: readonly Rule<AnthropicAsk>[] = [
  {
    name: "at least one message",
    status: 400,
    source: create,
    unconfirmed: true,
    check: ({ messages }) => (messages.length > 0 ? null : "messages: at least one message is required"),
  },
  {
    name: "known roles",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, MessageParam",
    check: (ask) =>
      eachMessage(ask, ({ role }) =>
        ["user", "assistant", "system"].includes(role) ? null : "role: Input should be 'user', 'assistant' or 'system'",
      ),
  },
  {
    name: "first message is the user's",
    status: 400,
    source: create,
    unconfirmed: true,
    check: ({ messages }) => (messages[0]?.role === "user" ? null : 'messages: first message must use the "user" role'),
  },
  {
    name: "content is a string or a list",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, MessageCreateParamsBase",
    check: (ask) =>
      eachMessage(ask, ({ content }) => (typeof content === "string" || Array.isArray(content) ? null : "content: Field required")),
  },
  {
    name: "messages have content",
    status: 400,
    source: "https://github.com/anthropics/claude-code/issues/6774",
    check: ({ messages }) => {
      const empty = messages.findIndex(
        ({ role, content, blocks }, index) =>
          (blocks.length === 0 || content === "") && !(role === "assistant" && index === messages.length - 1),
      );
      return empty < 0
        ? null
        : `messages.${empty}: all messages must have non-empty content except for the optional final assistant message`;
    },
  },
  {
    name: "known blocks",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, ContentBlockParam",
    check: (ask) =>
      eachBlock(ask, (block, { role }) => {
        const known = role === "assistant" ? ASSISTANT_BLOCKS : USER_BLOCKS;
        const type = textOf(block["type"]);
        if (known.has(type)) return null;
        return `Input tag '${type}' found using 'type' does not match any of the expected tags for role '${role}'`;
      }),
  },
  {
    name: "no document in an assistant message since 2026-10-21",
    status: 400,
    source: versioning,
    check: (ask) =>
      eachBlock(ask, (block, { role }) =>
        ask.version === "2026-10-21" && role === "assistant" && block["type"] === "document"
          ? "`document` blocks are not permitted in assistant messages"
          : null,
      ),
  },
  {
    name: "no citations on a user's text since 2026-10-21",
    status: 400,
    source: versioning,
    check: (ask) =>
      eachBlock(ask, (block, { role }) =>
        ask.version === "2026-10-21" && role === "user" && Array.isArray(block["citations"]) && block["citations"].length > 0
          ? "text.citations: citations are not permitted on text blocks in user messages"
          : null,
      ),
  },
  {
    name: "text blocks are not empty",
    status: 400,
    source:
      "https://github.com/anthropics/claude-code/issues/59812 (empty), https://github.com/home-assistant/core/pull/175733 (white space)",
    check: ({ messages, body }) => {
      const system = body["system"];
      const blocks = [...messages.flatMap((message) => message.blocks), ...(Array.isArray(system) ? system.map(objectOf) : [])];
      const texts = blocks.filter((block) => block["type"] === "text").map((block) => textOf(block["text"]));
      if (texts.includes("")) return "messages: text content blocks must be non-empty";
      return texts.some(isBlank) ? "messages: text content blocks must contain non-whitespace text" : null;
    },
  },
  {
    name: "system is a string or a list of text blocks",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, MessageCreateParamsBase",
    check: ({ body: { system } }) =>
      system === undefined || typeof system === "string" || Array.isArray(system) ? null : "system: Input should be a valid string",
  },
  {
    name: "tool_use has all members",
    status: 400,
    source:
      "https://github.com/anomalyco/opencode/issues/1279 (id), SDK resources/messages/messages.d.ts, ToolUseBlockParam (the rest, from memory)",
    check: (ask) =>
      eachBlock(ask, (block) => {
        if (block["type"] !== "tool_use") return null;
        if (!/^[a-zA-Z0-9_-]+$/.test(textOf(block["id"]))) return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
        if (!/^[a-zA-Z0-9_-]{1,200}$/.test(textOf(block["name"])))
          return "tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'";
        const { input } = block;
        return typeof input === "object" && input !== null && !Array.isArray(input)
          ? null
          : "tool_use.input: Input should be a valid dictionary";
      }),
  },
  {
    name: "tool_use ids are unique",
    status: 400,
    source: "https://github.com/anthropics/claude-code/issues/28515",
    check: ({ messages }) =>
      firstDuplicate(messages.flatMap((message) => idsOf(message))) === undefined ? null : "messages: `tool_use` ids must be unique",
  },
  {
    name: "every tool_use is answered in the next message",
    status: 400,
    source: toolCalls,
    check: ({ messages }) => {
      for (const [index, message] of messages.entries()) {
        const next = messages[index + 1];
        const answered = next?.role === "user" ? resultIds(next) : [];
        const open = idsOf(message).filter((id) => !answered.includes(id));
        if (open.length > 0) {
          return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
        }
      }
      return null;
    },
  },
  {
    name: "every tool_result answers the previous message",
    status: 400,
    source: "https://github.com/tghamm/Anthropic.SDK/issues/184",
    check: ({ messages }) => {
      for (const [index, message] of messages.entries()) {
        const before = messages[index - 1];
        const asked = before ? idsOf(before) : [];
        const stray = resultIds(message).find((id) => !asked.includes(id));
        if (stray !== undefined) {
          return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
        }
        const twice = firstDuplicate(resultIds(message));
        if (twice !== undefined)
          return `messages.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
      }
      return null;
    },
  },
  {
    name: "tool_result blocks come first",
    status: 400,
    source: toolCalls,
    check: (ask) =>
      eachMessage(ask, ({ blocks }) => {
        const firstOther = blocks.findIndex((block) => block["type"] !== "tool_result");
        const late = firstOther >= 0 && blocks.slice(firstOther).some((block) => block["type"] === "tool_result");
        return late
          ? "`tool_use` ids were found without `tool_result` blocks immediately after: tool_result blocks must come first in the content"
          : null;
      }),
  },
  {
    name: "no trailing white space in the last assistant message",
    status: 400,
    source: "https://github.com/tailcallhq/forgecode/issues/1872",
    check: ({ messages }) => {
      const last = messages.at(-1);
      const text = last?.role === "assistant" ? textOf(last.blocks.at(-1)?.["text"]) : "";
      return text === text.trimEnd() ? null : "messages: final assistant content cannot end with trailing whitespace";
    },
  },
  {
    name: "no prefill",
    status: 400,
    source: `${docs}/api/errors#prefill-not-supported`,
    check: ({ messages, memory }) => {
      const last = messages.at(-1);
      return last?.role === "assistant" && !memory.paused.has(pausedTurn(last.blocks))
        ? "This model does not support assistant message prefill. The conversation must end with a user message."
        : null;
    },
  },
  {
    name: "calls are sent back with their thinking",
    status: 400,
    source: `${docs}/build-with-claude/extended-thinking#preserving-thinking-blocks`,
    check: (ask) => {
      const { messages, memory } = ask;
      const at = messages.findLastIndex((message) => message.role === "assistant");
      const latest = messages[at];
      const signed = latest ? blocksOf(latest, "thinking").map((block) => block["signature"]) : [];
      const lost = (latest ? idsOf(latest) : [])
        .map((id) => memory.thought.get(id))
        // Thinking is invalid if something before it has changed. A client must remove invalid thinking, because the vendor's own error says "Remove
        // the block".
        .some((wanted) => wanted !== undefined && !signed.includes(wanted) && isPrefixUnchanged({ signature: wanted }, ask, at));
      return lost
        ? `messages.${at}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`
        : null;
    },
  },
  {
    name: "thinking is signed",
    status: 400,
    source: `${docs}/build-with-claude/thinking`,
    unconfirmed: true,
    check: (ask) => eachThinking(ask, (block) => (isOwnThinking(block, ask) ? null : "Invalid `signature` in `thinking` block")),
  },
  {
    name: "the messages before thinking are unchanged",
    status: 400,
    source: `${docs}/build-with-claude/preserved-thinking/prefix-checks (some models drop the thinking instead, and the error text is this server's own)`,
    check: (ask) =>
      eachThinking(ask, (block, _at, index) =>
        isPrefixUnchanged(block, ask, index)
          ? null
          : "`system`, `tools` or an earlier message changed after this `thinking` block was produced",
      ),
  },
];

const SHARED_BLOCKS = ["text", "image", "document", "search_result"];
const USER_BLOCKS: ReadonlySet<string> = new Set([...SHARED_BLOCKS, "tool_result"]);
const ASSISTANT_BLOCKS: ReadonlySet<string> = new Set([...SHARED_BLOCKS, "tool_use", "thinking", "redacted_thinking"]);

function idsOf(message: Message): readonly string[] {
  return message.role === "assistant" ? blocksOf(message, "tool_use").map((block) => textOf(block["id"])) : [];
}

function resultIds(message: Message): readonly string[] {
  return blocksOf(message, "tool_result").map((block) => textOf(block["tool_use_id"]));
}

function eachMessage({ messages }: AnthropicAsk, check: (message: Message) => string | null): string | null {
  for (const [index, message] of messages.entries()) {
    const found = check(message);
    if (found !== null) return `messages.${index}.${found}`;
  }
  return null;
}

function eachBlock({ messages }: AnthropicAsk, check: (block: JsonObject, message: Message) => string | null): string | null {
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of message.blocks.entries()) {
      const found = check(block, message);
      if (found !== null) return `messages.${index}.content.${at}.${found}`;
    }
  }
  return null;
}

function eachThinking({ messages }: AnthropicAsk, check: (block: JsonObject, at: number, message: number) => string | null): string | null {
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of message.blocks.entries()) {
      const found = block["type"] === "thinking" ? check(block, at, index) : null;
      if (found !== null) return `messages.${index}.content.${at}: ${found}`;
    }
  }
  return null;
}
