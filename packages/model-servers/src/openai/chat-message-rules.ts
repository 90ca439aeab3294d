import type { JsonObject } from "@toolbus/contracts";
import { firstDuplicate, objectOf, textOf } from "../wire/fields.ts";
import type { Finding, Rule } from "../wire/rule.ts";
import { type ChatAsk, toolCallsOf } from "./chat-ask.ts";

const create = "https://developers.openai.com/api/reference/resources/chat";
const types = "SDK resources/chat/completions/completions.d.ts";
const calling = "https://developers.openai.com/api/docs/guides/function-calling";

/** The rules for the conversation. */
export const chatMessageRules: readonly Rule<ChatAsk>[] = [
  {
    name: "at least one message",
    status: 400,
    source: create,
    unconfirmed: true,
    check: ({ messages }) =>
      messages.length > 0
        ? null
        : {
            message: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            code: "empty_array",
            param: "messages",
          },
  },
  {
    name: "known roles",
    status: 400,
    source: `${types}, ChatCompletionMessageParam`,
    check: (ask) =>
      eachMessage(ask, ({ role }, at) =>
        ROLES.has(textOf(role))
          ? null
          : {
              message: `Invalid value: '${textOf(role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
              param: `${at}.role`,
              code: "invalid_value",
            },
      ),
  },
  {
    name: "content is a string or a list",
    status: 400,
    source: `${types}, ChatCompletionMessageParam`,
    check: (ask) =>
      eachMessage(ask, (message, at) => {
        const { content, role } = message;
        if (typeof content === "string" || (Array.isArray(content) && content.length > 0)) return null;
        const mayBeAbsent =
          role === "assistant" && (content === null || content === undefined) && (toolCallsOf(message).length > 0 || "refusal" in message);
        return mayBeAbsent
          ? null
          : {
              message: `Invalid value for 'content': expected a string, got ${content === undefined ? "nothing" : JSON.stringify(content)}.`,
              param: `${at}.content`,
            };
      }),
  },
  {
    name: "tool_calls are not empty",
    status: 400,
    source: "https://developers.openai.com/api/reference/resources/chat",
    unconfirmed: true,
    check: (ask) =>
      eachMessage(ask, (message, at) =>
        Array.isArray(message["tool_calls"]) && message["tool_calls"].length === 0
          ? {
              message: `Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
              param: `${at}.tool_calls`,
              code: "empty_array",
            }
          : null,
      ),
  },
  {
    name: "at most 128 tool calls per message",
    status: 400,
    source: "https://github.com/openai/openai-dotnet/issues/317",
    check: (ask) =>
      eachMessage(ask, (message, at) =>
        toolCallsOf(message).length > 128
          ? {
              message: `Invalid '${at}.tool_calls': array too long. Expected an array with maximum length 128, but got an array with length ${toolCallsOf(message).length} instead.`,
              param: `${at}.tool_calls`,
              code: "array_above_max_length",
            }
          : null,
      ),
  },
  {
    name: "tool calls have all members",
    status: 400,
    source: `${types}, ChatCompletionMessageFunctionToolCall`,
    check: (ask) =>
      eachCall(ask, (call, at) => {
        const made = objectOf(call["function"]);
        if (call["type"] !== "function")
          return { message: `Missing required parameter: '${at}.type'.`, param: `${at}.type`, code: "missing_required_parameter" };
        if (textOf(call["id"]) === "")
          return { message: `Missing required parameter: '${at}.id'.`, param: `${at}.id`, code: "missing_required_parameter" };
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(made["name"])))
          return {
            message: `Invalid '${at}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
            param: `${at}.function.name`,
            code: "invalid_value",
          };
        return null;
      }),
  },
  {
    name: "arguments are a string",
    status: 400,
    source: `${types}, ChatCompletionMessageFunctionToolCall`,
    check: (ask) =>
      eachCall(ask, (call, at) =>
        typeof objectOf(call["function"])["arguments"] === "string"
          ? null
          : {
              message: `Invalid type for '${at}.function.arguments': expected a string, but got an object instead.`,
              param: `${at}.function.arguments`,
              code: "invalid_type",
            },
      ),
  },
  {
    name: "call ids have at most 40 characters",
    status: 400,
    source: "https://github.com/langmanus/langmanus/issues/119",
    check: (ask) =>
      eachCall(ask, (call, at) =>
        textOf(call["id"]).length <= 40
          ? null
          : {
              message: `Invalid '${at}.id': string too long. Expected a string with maximum length 40, but got a string with length ${textOf(call["id"]).length} instead.`,
              param: `${at}.id`,
              code: "string_above_max_length",
            },
      ),
  },
  {
    name: "call ids of a turn are unique",
    status: 400,
    source: calling,
    unconfirmed: true,
    check: ({ messages }) => {
      const twice = messages
        .map((message) => firstDuplicate(toolCallsOf(message).map((call) => textOf(call["id"]))))
        .find((id) => id !== undefined);
      return twice === undefined
        ? null
        : { message: `Duplicate value for 'tool_call_id' of '${twice}'`, param: "messages", code: "invalid_value" };
    },
  },
  {
    name: "every call is answered directly after its turn",
    status: 400,
    source: "https://github.com/aliasrobotics/cai/issues/111",
    check: ({ messages }) => {
      for (const [index, message] of messages.entries()) {
        const calls = toolCallsOf(message).map((call) => textOf(call["id"]));
        const answered = answersAfter(messages, index);
        const open = calls.filter((id) => !answered.includes(id));
        if (open.length > 0) {
          return {
            message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
            param: `messages.[${index + 1}].role`,
          };
        }
      }
      return null;
    },
  },
  {
    name: "every tool message answers a call of the turn before it",
    status: 400,
    source: "https://github.com/microsoft/promptflow/pull/3130",
    check: ({ messages }) => {
      for (const [index, message] of messages.entries()) {
        if (message["role"] !== "tool") continue;
        const asking = messages.slice(0, index).findLast(({ role }) => role !== "tool");
        const ids = asking ? toolCallsOf(asking).map((call) => textOf(call["id"])) : [];
        if (!ids.includes(textOf(message["tool_call_id"]))) {
          return {
            message: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
            param: `messages.[${index}].role`,
          };
        }
      }
      return null;
    },
  },
  {
    name: "a call is answered only once",
    status: 400,
    source: calling,
    unconfirmed: true,
    check: ({ messages }) => {
      const twice = messages.map((_message, index) => firstDuplicate(answersAfter(messages, index))).find((id) => id !== undefined);
      return twice === undefined
        ? null
        : { message: `Duplicate value for 'tool_call_id' of '${twice}'`, param: "messages", code: "invalid_value" };
    },
  },
];

const ROLES: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Returns the ids that the tool messages directly after this message answer. */
function answersAfter(messages: readonly JsonObject[], index: number): readonly string[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== "tool");
  return rest.slice(0, end < 0 ? rest.length : end).map((message) => textOf(message["tool_call_id"]));
}

function eachMessage({ messages }: ChatAsk, check: (message: JsonObject, at: string) => Finding | null): Finding | null {
  for (const [index, message] of messages.entries()) {
    const found = check(message, `messages[${index}]`);
    if (found) return found;
  }
  return null;
}

function eachCall(ask: ChatAsk, check: (call: JsonObject, at: string) => Finding | null): Finding | null {
  return eachMessage(ask, (message, at) => {
    for (const [index, call] of toolCallsOf(message).entries()) {
      const found = check(call, `${at}.tool_calls[${index}]`);
      if (found) return found;
    }
    return null;
  });
}
