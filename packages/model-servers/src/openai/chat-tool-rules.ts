import { firstDuplicate, listOf, objectOf, textOf } from "../wire/fields.ts";
import type { Rule } from "../wire/rule.ts";
import type { ChatAsk } from "./chat-ask.ts";
import { functionSchemaRules } from "./function-schema-rules.ts";

const calling = "https://developers.openai.com/api/docs/guides/function-calling";
const names = "SDK resources/shared.d.ts, FunctionDefinition.name";

/** The rules for the tools and for the choice among them. */
export const chatToolRules: readonly Rule<ChatAsk>[] = [
  {
    name: "tools are not empty",
    status: 400,
    source: "https://developers.openai.com/api/reference/resources/chat",
    unconfirmed: true,
    check: ({ body }) =>
      Array.isArray(body["tools"]) && body["tools"].length === 0
        ? {
            message: "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            code: "empty_array",
            param: "tools",
          }
        : null,
  },
  {
    name: "at most 128 tools",
    status: 400,
    source: "https://github.com/vishalmysore/Tools4AI/issues/16",
    check: ({ functions }) =>
      functions.length > 128
        ? {
            message: `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${functions.length} instead.`,
            code: "array_above_max_length",
            param: "tools",
          }
        : null,
  },
  {
    name: "tools are functions",
    status: 400,
    source: "SDK resources/chat/completions/completions.d.ts, ChatCompletionTool",
    check({ body }) {
      const at = listOf(body["tools"]).findIndex((tool) => objectOf(tool)["type"] !== "function");
      return at < 0
        ? null
        : { message: `Missing required parameter: 'tools[${at}].type'.`, param: `tools[${at}].type`, code: "missing_required_parameter" };
    },
  },
  {
    name: "tool name pattern",
    status: 400,
    source: names,
    check({ functions }) {
      const at = functions.findIndex((tool) => !/^[a-zA-Z0-9_-]+$/.test(textOf(tool["name"])));
      return at < 0
        ? null
        : {
            message: `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
            param: `tools[${at}].function.name`,
            code: "invalid_value",
          };
    },
  },
  {
    name: "tool name has at most 64 characters",
    status: 400,
    source: names,
    check({ functions }) {
      const at = functions.findIndex((tool) => textOf(tool["name"]).length > 64);
      return at < 0
        ? null
        : {
            message: `Invalid 'tools[${at}].function.name': string too long. Expected a string with maximum length 64.`,
            param: `tools[${at}].function.name`,
            code: "string_above_max_length",
          };
    },
  },
  {
    name: "tool description has at most 1024 characters",
    status: 400,
    source: "https://github.com/getsentry/sentry-mcp/issues/106",
    check({ functions, vendor }) {
      const at = vendor.name === "openai" ? functions.findIndex((tool) => textOf(tool["description"]).length > 1024) : -1;
      return at < 0
        ? null
        : {
            message: `Invalid 'tools[${at}].function.description': string too long. Expected a string with maximum length 1024.`,
            param: `tools[${at}].function.description`,
            code: "string_above_max_length",
          };
    },
  },
  {
    name: "tool names are unique",
    status: 400,
    source: calling,
    unconfirmed: true,
    check({ functions }) {
      const twice = firstDuplicate(functions.map((tool) => textOf(tool["name"])));
      return twice === undefined ? null : { message: `Duplicate function name: ${twice}`, param: "tools", code: "invalid_value" };
    },
  },
  {
    name: "tool_choice only with tools",
    status: 400,
    source: "https://github.com/vllm-project/vllm/pull/21052 (it follows OpenAI)",
    check: ({ body, functions }) =>
      body["tool_choice"] !== undefined && functions.length === 0
        ? { message: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", param: "tool_choice" }
        : null,
  },
  {
    name: "parallel_tool_calls only with tools",
    status: 400,
    source: "https://github.com/openai/swarm/issues/30",
    check: ({ body, functions }) =>
      body["parallel_tool_calls"] !== undefined && functions.length === 0
        ? {
            message: "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
            param: "parallel_tool_calls",
          }
        : null,
  },
  {
    name: "tool_choice is of a known form",
    status: 400,
    source: "SDK resources/chat/completions/completions.d.ts, ChatCompletionToolChoiceOption",
    check({ body }) {
      const choice = body["tool_choice"];
      const known = choice === undefined || ["none", "auto", "required"].includes(textOf(choice)) || objectOf(choice)["type"] !== undefined;
      return known
        ? null
        : {
            message: `Invalid value: '${JSON.stringify(choice)}'. Supported values are: 'none', 'auto', and 'required'.`,
            param: "tool_choice",
            code: "invalid_value",
          };
    },
  },
  {
    name: "tool_choice names a tool",
    status: 400,
    source: calling,
    unconfirmed: true,
    check({ body, functions }) {
      const name = textOf(objectOf(objectOf(body["tool_choice"])["function"])["name"]);
      return name === "" || functions.some((tool) => tool["name"] === name)
        ? null
        : { message: `Tool choice 'function.${name}' not found in 'tools' parameter.`, param: "tool_choice" };
    },
  },
  ...functionSchemaRules,
];
