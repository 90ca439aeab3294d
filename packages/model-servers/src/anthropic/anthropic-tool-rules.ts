import type { JsonObject } from "@toolbus/contracts";
import { firstDuplicate, objectOf, textOf } from "../wire/fields.ts";
import { isJsonSchema } from "../wire/json-schema.ts";
import type { Rule } from "../wire/rule.ts";
import { schemasIn } from "../wire/schema-walk.ts";
import { type AnthropicAsk, blocksOf } from "./anthropic-ask.ts";

const docs = "https://platform.claude.com/docs/en";
const define = `${docs}/agents-and-tools/tool-use/define-tools`;

/** The rules of the Messages API for tools and for the choice among them. */
export const anthropicToolRules: readonly Rule<AnthropicAsk>[] = [
  {
    name: "tool has a name",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, Tool",
    check: (ask) => eachTool(ask, (tool) => (typeof tool["name"] === "string" ? null : "name: Field required")),
  },
  {
    name: "tool name pattern",
    status: 400,
    source: define,
    unconfirmed: true,
    check: (ask) =>
      eachTool(ask, (tool) =>
        /^[a-zA-Z0-9_-]{1,64}$/.test(textOf(tool["name"])) ? null : "name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
      ),
  },
  {
    name: "tool names are unique",
    status: 400,
    source: "https://github.com/microsoft/vscode/issues/278073",
    check: ({ tools }) =>
      firstDuplicate(tools.map((tool) => textOf(tool["name"]))) === undefined ? null : "tools: Tool names must be unique.",
  },
  {
    name: "tool has an input schema",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, Tool",
    check: (ask) =>
      eachTool(ask, (tool) => (Object.keys(objectOf(tool["input_schema"])).length > 0 ? null : "input_schema: Field required")),
  },
  {
    name: "root of the input schema is an object",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, Tool.InputSchema: type is 'object'",
    check: (ask) => eachSchema(ask, (schema) => (schema["type"] === "object" ? null : "input_schema.type: Input should be 'object'")),
  },
  {
    name: "no union at the root of the input schema",
    status: 400,
    source: "https://github.com/anthropics/claude-code/issues/5319",
    check: (ask) =>
      eachSchema(ask, (schema) =>
        ["oneOf", "allOf", "anyOf"].some((word) => word in schema)
          ? "input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
          : null,
      ),
  },
  {
    name: "property key pattern",
    status: 400,
    source:
      "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes (names outside letters, digits, `_.-`, 1 to 64 characters)",
    check: (ask) =>
      eachSchema(ask, (schema) =>
        schemasIn(schema).some((at) => Object.keys(objectOf(at.schema["properties"])).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)))
          ? "input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
          : null,
      ),
  },
  {
    name: "input schema is JSON Schema 2020-12",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, Tool.input_schema",
    check: (ask) =>
      eachSchema(ask, (schema) =>
        isJsonSchema(schema)
          ? null
          : "input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).",
      ),
  },
  {
    name: "tools are defined if messages have tool blocks",
    status: 400,
    source: "https://github.com/BerriAI/litellm (its code handles this error of Anthropic)",
    unconfirmed: true,
    check: ({ tools, messages }) =>
      tools.length === 0 && messages.some((message) => blocksOf(message, "tool_use").length + blocksOf(message, "tool_result").length > 0)
        ? "Requests which include `tool_use` or `tool_result` blocks must define tools"
        : null,
  },
  {
    name: "tool_choice only with tools",
    status: 400,
    source: `${docs}/api/messages/create`,
    unconfirmed: true,
    check: ({ body, tools }) =>
      body["tool_choice"] !== undefined && tools.length === 0
        ? "tool_choice: tool_choice may only be specified while providing tools"
        : null,
  },
  {
    name: "tool_choice names a tool",
    status: 400,
    source: `${docs}/api/messages/create`,
    unconfirmed: true,
    check({ body, tools }) {
      const choice = objectOf(body["tool_choice"]);
      return choice["type"] === "tool" && !tools.some((tool) => tool["name"] === choice["name"])
        ? `tool_choice: Tool '${textOf(choice["name"])}' not found in provided tools`
        : null;
    },
  },
  {
    name: "tool_choice is of a known form",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, ToolChoice",
    check({ body }) {
      const choice = body["tool_choice"];
      if (choice === undefined) return null;
      const { type, ...rest } = objectOf(choice);
      const members: Readonly<Record<string, readonly string[]>> = {
        auto: ["disable_parallel_tool_use"],
        any: ["disable_parallel_tool_use"],
        tool: ["name", "disable_parallel_tool_use"],
        none: [],
      };
      const known = members[textOf(type)];
      if (!known) return "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'";
      const stranger = Object.keys(rest).find((member) => !known.includes(member));
      return stranger === undefined ? null : `tool_choice.${textOf(type)}.${stranger}: Extra inputs are not permitted`;
    },
  },
  {
    name: "no forced tool while thinking by budget",
    status: 400,
    source: `${docs}/build-with-claude/extended-thinking`,
    unconfirmed: true,
    check: ({ body }) =>
      objectOf(body["thinking"])["type"] === "enabled" && ["any", "tool"].includes(textOf(objectOf(body["tool_choice"])["type"]))
        ? "Thinking may not be enabled when tool_choice forces tool use."
        : null,
  },
];

/** Checks only the client's own tools. The vendor's tools have a `type` and no schema. */
function eachTool({ tools }: AnthropicAsk, check: (tool: JsonObject) => string | null): string | null {
  for (const [index, tool] of tools.entries()) {
    if (tool["type"] !== undefined && tool["type"] !== "custom") continue;
    const found = check(tool);
    if (found !== null) return `tools.${index}.custom.${found}`;
  }
  return null;
}

function eachSchema(ask: AnthropicAsk, check: (schema: JsonObject) => string | null): string | null {
  return eachTool(ask, (tool) => check(objectOf(tool["input_schema"])));
}
