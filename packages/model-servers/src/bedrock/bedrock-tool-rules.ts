import type { JsonObject } from "@toolbus/contracts";
import { firstDuplicate, listOf, objectOf, textOf } from "../wire/fields.ts";
import { isJsonSchema } from "../wire/json-schema.ts";
import type { Rule } from "../wire/rule.ts";
import { schemasIn } from "../wire/schema-walk.ts";
import { type BedrockAsk, blocksOf } from "./bedrock-ask.ts";

const api = "https://docs.aws.amazon.com/bedrock/latest/APIReference";

/** The rules for the tools and for the choice among them. */
export const bedrockToolRules: readonly Rule<BedrockAsk>[] = [
  {
    name: "toolConfig is given if messages have tool blocks",
    status: 400,
    source: "https://github.com/langgenius/dify/issues/17545",
    check: ({ body, messages }) =>
      body["toolConfig"] === undefined &&
      messages.some((message) => blocksOf(message, "toolUse").length + blocksOf(message, "toolResult").length > 0)
        ? "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        : null,
  },
  {
    name: "toolConfig has a tool",
    status: 400,
    source: `${api}/API_runtime_ToolConfiguration.html`,
    unconfirmed: true,
    check: ({ body }) =>
      body["toolConfig"] !== undefined && listOf(objectOf(body["toolConfig"])["tools"]).length === 0
        ? "1 validation error detected: Value '[]' at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1"
        : null,
  },
  {
    name: "toolSpec name pattern",
    status: 400,
    source: `${api}/API_runtime_ToolSpecification.html`,
    check: ({ specs }) => {
      const at = specs.findIndex((spec) => !/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(spec["name"])));
      return at < 0
        ? null
        : `1 validation error detected: Value '${textOf(specs[at]?.["name"])}' at 'toolConfig.tools.${at + 1}.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+ and have length between 1 and 64`;
    },
  },
  {
    name: "tool names are unique",
    status: 400,
    source: `${api}/API_runtime_ToolConfiguration.html`,
    unconfirmed: true,
    check: ({ specs }) => {
      const twice = firstDuplicate(specs.map((spec) => textOf(spec["name"])));
      return twice === undefined ? null : `The tool ${twice} is already defined at toolConfig.tools. Tool names must be unique.`;
    },
  },
  {
    name: "toolSpec description is not empty",
    status: 400,
    source: `${api}/API_runtime_ToolSpecification.html`,
    check: ({ specs }) => {
      const at = specs.findIndex((spec) => spec["description"] !== undefined && textOf(spec["description"]) === "");
      return at < 0
        ? null
        : `1 validation error detected: Value '' at 'toolConfig.tools.${at + 1}.member.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1`;
    },
  },
  {
    name: "inputSchema is an object of type object",
    status: 400,
    source: `${api}/API_runtime_ToolInputSchema.html`,
    unconfirmed: true,
    check: (ask) =>
      eachSchema(ask, (schema, at) =>
        schema["type"] === "object" ? null : `The value at ${at}.type must be one of the following: object.`,
      ),
  },
  {
    name: "no union at the root of the inputSchema",
    status: 400,
    source: "https://github.com/anthropics/claude-code/issues/5319 (the model behind it is Anthropic's)",
    check: (ask) =>
      eachSchema(ask, (schema, at) =>
        ["oneOf", "allOf", "anyOf"].some((word) => word in schema)
          ? `The model returned the following errors: ${at}: input_schema does not support oneOf, allOf, or anyOf at the top level`
          : null,
      ),
  },
  {
    name: "property key pattern",
    status: 400,
    source: "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes (the model behind it is Anthropic's)",
    unconfirmed: true,
    check: (ask) =>
      eachSchema(ask, (schema, at) =>
        schemasIn(schema).some((part) =>
          Object.keys(objectOf(part.schema["properties"])).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
        )
          ? `The model returned the following errors: ${at}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`
          : null,
      ),
  },
  {
    name: "inputSchema is JSON Schema 2020-12",
    status: 400,
    source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools (the model behind it is Anthropic's)",
    check: (ask) =>
      eachSchema(ask, (schema, at) =>
        isJsonSchema(schema) ? null : `The model returned the following errors: ${at}: JSON schema is invalid.`,
      ),
  },
  {
    name: "toolChoice is of a known form",
    status: 400,
    source: "SDK models/models_0.d.ts, ToolChoice",
    check: ({ body }) => {
      const choice = objectOf(body["toolConfig"])["toolChoice"];
      const members = Object.keys(objectOf(choice));
      return choice === undefined || (members.length === 1 && ["auto", "any", "tool"].includes(members[0] ?? ""))
        ? null
        : "The format of the value at toolConfig.toolChoice is invalid. Provide exactly one of auto, any and tool.";
    },
  },
  {
    name: "toolChoice names a tool",
    status: 400,
    source: `${api}/API_runtime_SpecificToolChoice.html`,
    unconfirmed: true,
    check: ({ body, specs }) => {
      const choice = objectOf(objectOf(objectOf(body["toolConfig"])["toolChoice"])["tool"]);
      const name = textOf(choice["name"]);
      return name === "" || specs.some((spec) => spec["name"] === name)
        ? null
        : `The tool ${name} at toolConfig.toolChoice.tool is not defined. Define it in toolConfig.tools and try again.`;
    },
  },
];

function eachSchema({ specs }: BedrockAsk, check: (schema: JsonObject, at: string) => string | null): string | null {
  for (const [index, spec] of specs.entries()) {
    const found = check(objectOf(objectOf(spec["inputSchema"])["json"]), `toolConfig.tools.${index}.toolSpec.inputSchema.json`);
    if (found !== null) return found;
  }
  return null;
}
