import type { JsonObject } from "@toolbus/contracts";
import { firstDuplicate, isBlank, listOf, objectOf, textOf } from "../wire/fields.ts";
import type { Rule } from "../wire/rule.ts";
import { signatureOf } from "../wire/thinking-signature.ts";
import { type BedrockAsk, blocksOf } from "./bedrock-ask.ts";

type Message = BedrockAsk["messages"][number];

const api = "https://docs.aws.amazon.com/bedrock/latest/APIReference";
const guide = "https://docs.aws.amazon.com/bedrock/latest/userguide";

/** The rules for the conversation. */
export const bedrockMessageRules: readonly Rule<BedrockAsk>[] = [
  {
    name: "at least one message",
    status: 400,
    source: `${api}/API_runtime_Converse.html`,
    unconfirmed: true,
    check: ({ messages }) =>
      messages.length > 0 ? null : "The messages field is required. Add at least one message to the conversation and try again.",
  },
  {
    name: "known roles",
    status: 400,
    source: "SDK models/models_0.d.ts, Message",
    check: (ask) =>
      eachMessage(ask, ({ role }, at) =>
        role === "user" || role === "assistant"
          ? null
          : `1 validation error detected: Value '${role}' at '${at}.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]`,
      ),
  },
  {
    name: "first message is the user's",
    status: 400,
    source: `${guide}/conversation-inference-call.html`,
    unconfirmed: true,
    check: ({ messages }) =>
      messages[0]?.role === "user"
        ? null
        : "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
  },
  {
    name: "roles alternate",
    status: 400,
    source: "https://github.com/Portkey-AI/gateway/issues/748",
    check: ({ messages }) =>
      messages.some((message, index) => message.role === messages[index - 1]?.role)
        ? "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again."
        : null,
  },
  {
    name: "messages have content",
    status: 400,
    source: "SDK models/models_0.d.ts, Message",
    check: (ask) =>
      eachMessage(ask, ({ blocks }, at) =>
        blocks.length > 0
          ? null
          : `The content field in the Message object at ${at} is empty. Add a ContentBlock object to the content field and try again.`,
      ),
  },
  {
    name: "one known member per block",
    status: 400,
    source: "SDK models/models_0.d.ts, ContentBlock",
    check: (ask) =>
      eachBlock(ask, (block, at) => {
        const members = Object.keys(block);
        return members.length === 1 && BLOCKS.has(members[0] ?? "")
          ? null
          : `The format of the value at ${at} is invalid. Provide exactly one member of ContentBlock.`;
      }),
  },
  {
    name: "text blocks are not blank",
    status: 400,
    source: `${api}/API_runtime_ContentBlock.html`,
    unconfirmed: true,
    check: (ask) => {
      const blank = eachBlock(ask, (block, at) =>
        "text" in block && isBlank(textOf(block["text"]))
          ? `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`
          : null,
      );
      if (blank !== null) return blank;
      const inSystem = listOf(ask.body["system"]).findIndex(
        (block) => "text" in objectOf(block) && isBlank(textOf(objectOf(block)["text"])),
      );
      return inSystem < 0
        ? null
        : `The text field in the SystemContentBlock object at system.${inSystem} is blank. Add text to the text field, and try again.`;
    },
  },
  {
    name: "toolUse has all members",
    status: 400,
    source: `${api}/API_runtime_ToolUseBlock.html`,
    check: (ask) =>
      eachBlock(ask, (block, at) => {
        if (!("toolUse" in block)) return null;
        const { toolUseId, name, input } = objectOf(block["toolUse"]);
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(toolUseId)))
          return pattern(`${at}.toolUse.toolUseId`, textOf(toolUseId), "[a-zA-Z0-9_-]+");
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(name))) return pattern(`${at}.toolUse.name`, textOf(name), "[a-zA-Z0-9_-]+");
        return typeof input === "object" && input !== null && !Array.isArray(input)
          ? null
          : `The format of the value at ${at}.toolUse.input is invalid. Provide a json object for the field and try again.`;
      }),
  },
  {
    name: "toolResult has all members",
    status: 400,
    source: "SDK models/models_0.d.ts, ToolResultBlock",
    check: (ask) =>
      eachBlock(ask, (block, at) => {
        if (!("toolResult" in block)) return null;
        const { toolUseId, content, status } = objectOf(block["toolResult"]);
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(toolUseId)))
          return pattern(`${at}.toolResult.toolUseId`, textOf(toolUseId), "[a-zA-Z0-9_-]+");
        if (!Array.isArray(content))
          return `1 validation error detected: Value at '${at}.toolResult.content' failed to satisfy constraint: Member must not be null`;
        return status === undefined || status === "success" || status === "error"
          ? null
          : `1 validation error detected: Value '${textOf(status)}' at '${at}.toolResult.status' failed to satisfy constraint: Member must satisfy enum value set: [success, error]`;
      }),
  },
  {
    name: "content of a failed toolResult is not empty",
    status: 400,
    source: "https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",
    check: (ask) =>
      eachBlock(ask, (block, at) => {
        const { content, status } = objectOf(block["toolResult"]);
        const texts = listOf(content)
          .map(objectOf)
          .filter((part) => !("text" in part) || textOf(part["text"]) !== "");
        return "toolResult" in block && status === "error" && texts.length === 0
          ? `The content field at ${at}.toolResult cannot be empty when status value is error.`
          : null;
      }),
  },
  {
    name: "json of a toolResult is an object",
    status: 400,
    source: `${api}/API_runtime_ToolResultContentBlock.html`,
    unconfirmed: true,
    check: (ask) =>
      eachBlock(ask, (block, at) => {
        const bad = listOf(objectOf(block["toolResult"])["content"])
          .map(objectOf)
          .findIndex(
            (part) => "json" in part && (typeof part["json"] !== "object" || part["json"] === null || Array.isArray(part["json"])),
          );
        return bad < 0
          ? null
          : `The format of the value at ${at}.toolResult.content.${bad}.json is invalid. Provide a json object for the field and try again.`;
      }),
  },
  {
    name: "toolUse ids of a turn are unique",
    status: 400,
    source: `${guide}/tool-use-inference-call.html`,
    unconfirmed: true,
    check: (ask) => {
      const at = ask.messages.findIndex((message) => firstDuplicate(idsOf(message)) !== undefined);
      return at < 0
        ? null
        : `The toolUse blocks at messages.${at}.content contain duplicate Ids: ${firstDuplicate(ask.messages.flatMap(idsOf)) ?? ""}`;
    },
  },
  {
    name: "every toolUse is answered in the next message",
    status: 400,
    source: "https://github.com/genkit-ai/aws-bedrock-js-plugin/issues/664",
    check: ({ messages }) => {
      for (const [index, message] of messages.entries()) {
        const next = messages[index + 1];
        const answered = next ? resultIds(next) : [];
        const open = idsOf(message).filter((id) => !answered.includes(id));
        if (open.length > 0) return `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${open.join(", ")}`;
      }
      return null;
    },
  },
  {
    name: "every toolResult answers the previous message",
    status: 400,
    source: "https://github.com/strands-agents/harness-sdk/issues/1435",
    check: ({ messages }) => {
      for (const [index, message] of messages.entries()) {
        const before = messages[index - 1];
        const asked = before ? idsOf(before) : [];
        const ids = resultIds(message);
        if (ids.length > asked.length)
          return `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`;
        const stray = ids.filter((id) => !asked.includes(id));
        if (stray.length > 0) return `The toolResult blocks at messages.${index}.content contain unexpected Ids: ${stray.join(", ")}`;
        if (firstDuplicate(ids) !== undefined)
          return `The toolResult blocks at messages.${index}.content contain duplicate Ids: ${firstDuplicate(ids) ?? ""}`;
      }
      return null;
    },
  },
  {
    name: "reasoning is signed",
    status: 400,
    source: `${api}/API_runtime_ReasoningTextBlock.html`,
    unconfirmed: true,
    check: ({ messages, model }) => {
      for (const [index, message] of messages.entries()) {
        const texts = blocksOf(message, "reasoningContent").map((block) => objectOf(block["reasoningText"]));
        if (texts.some((text) => text["signature"] !== signatureOf(textOf(text["text"]), model)))
          return `The model returned the following errors: messages.${index}.content.0: Invalid \`signature\` in \`thinking\` block`;
      }
      return null;
    },
  },
];

const BLOCKS: ReadonlySet<string> = new Set([
  "text",
  "image",
  "document",
  "video",
  "audio",
  "toolUse",
  "toolResult",
  "guardContent",
  "cachePoint",
  "reasoningContent",
  "citationsContent",
  "searchResult",
]);

function idsOf(message: Message): readonly string[] {
  return blocksOf(message, "toolUse").map((block) => textOf(block["toolUseId"]));
}

function resultIds(message: Message): readonly string[] {
  return blocksOf(message, "toolResult").map((block) => textOf(block["toolUseId"]));
}

function pattern(at: string, value: string, form: string): string {
  return `1 validation error detected: Value '${value}' at '${at}' failed to satisfy constraint: Member must satisfy regular expression pattern: ${form} and have length between 1 and 64`;
}

function eachMessage({ messages }: BedrockAsk, check: (message: Message, at: string) => string | null): string | null {
  for (const [index, message] of messages.entries()) {
    const found = check(message, `messages.${index}`);
    if (found !== null) return found;
  }
  return null;
}

function eachBlock(ask: BedrockAsk, check: (block: JsonObject, at: string) => string | null): string | null {
  return eachMessage(ask, ({ blocks }, at) => {
    for (const [index, block] of blocks.entries()) {
      const found = check(block, `${at}.content.${index}`);
      if (found !== null) return found;
    }
    return null;
  });
}
