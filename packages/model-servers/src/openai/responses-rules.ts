import type { JsonObject } from "@toolbus/contracts";
import { firstDuplicate, listOf, objectOf, textOf } from "../wire/fields.ts";
import type { Finding, Rule } from "../wire/rule.ts";
import { signatureOf } from "../wire/thinking-signature.ts";
import { functionSchemaRules } from "./function-schema-rules.ts";
import { isMessage, type ResponsesAsk } from "./responses-ask.ts";

const create = "https://developers.openai.com/api/reference/resources/responses";
const types = "SDK resources/responses/responses.d.ts";
const calling = "https://developers.openai.com/api/docs/guides/function-calling";

/** The rules for a request for a response. */
export const responsesRules: readonly Rule<ResponsesAsk>[] = [
  {
    name: "body is a JSON object",
    status: 400,
    source: create,
    unconfirmed: true,
    check: ({ request: { body } }) =>
      typeof body === "object" && body !== null && !Array.isArray(body) ? null : "We could not parse the JSON body of your request.",
  },
  {
    name: "known members only",
    status: 400,
    source: `${types}, ResponseCreateParamsBase`,
    check({ body }) {
      const stranger = Object.keys(body).find((member) => !MEMBERS.has(member));
      return stranger === undefined ? null : { message: `Unknown parameter: '${stranger}'.`, param: stranger, code: "unknown_parameter" };
    },
  },
  {
    name: "model exists",
    status: 404,
    source: "https://developers.openai.com/api/docs/guides/error-codes",
    unconfirmed: true,
    check: ({ body, vendor }) =>
      body["model"] === vendor.model
        ? null
        : {
            message: `The model \`${textOf(body["model"])}\` does not exist or you do not have access to it.`,
            code: "model_not_found",
            param: "model",
          },
  },
  {
    name: "no sampling parameters for a reasoning model",
    status: 400,
    source: "https://portkey.ai/error-library/unsupported-parameter-error-10525 (about o1)",
    check({ body }) {
      const param = ["temperature", "top_p"].find((member) => ![undefined, null, 1].some((usual) => body[member] === usual));
      return param === undefined
        ? null
        : { message: `Unsupported parameter: '${param}' is not supported with this model.`, param, code: "unsupported_parameter" };
    },
  },
  {
    name: "max_output_tokens is at least 16",
    status: 400,
    source: create,
    unconfirmed: true,
    check({ body: { max_output_tokens: limit } }) {
      const fits = limit === undefined || limit === null || (typeof limit === "number" && Number.isInteger(limit) && limit >= 16);
      return fits
        ? null
        : {
            message: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.",
            param: "max_output_tokens",
            code: "integer_below_min_value",
          };
    },
  },
  {
    name: "no reference to an earlier response",
    status: 400,
    source: `${create} (this server never stores responses, even with \`store\`)`,
    unconfirmed: true,
    check: ({ body: { previous_response_id: id } }) =>
      typeof id === "string"
        ? { message: `Previous response with id '${id}' not found.`, param: "previous_response_id", code: "previous_response_not_found" }
        : null,
  },
  {
    name: "input is given",
    status: 400,
    source: create,
    unconfirmed: true,
    check: ({ items }) =>
      items.length > 0 ? null : { message: "Missing required parameter: 'input'.", param: "input", code: "missing_required_parameter" },
  },
  {
    name: "known items",
    status: 400,
    source: `${types}, ResponseInputItem`,
    check: (ask) =>
      eachItem(ask, (item, at) =>
        isMessage(item) || ["function_call", "function_call_output", "reasoning"].includes(textOf(item["type"]))
          ? null
          : { message: `Invalid value: '${textOf(item["type"])}'.`, param: `${at}.type`, code: "invalid_value" },
      ),
  },
  {
    name: "known roles and parts",
    status: 400,
    source: `${types}, EasyInputMessage and ResponseOutputMessage`,
    check: (ask) =>
      eachItem(ask, (item, at) => {
        if (!isMessage(item)) return null;
        const role = textOf(item["role"]);
        if (!["user", "assistant", "system", "developer"].includes(role))
          return { message: `Invalid value: '${role}'.`, param: `${at}.role`, code: "invalid_value" };
        const known = role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
        const stranger = listOf(item["content"])
          .map((part) => textOf(objectOf(part)["type"]))
          .find((type) => !known.includes(type));
        if (stranger !== undefined)
          return {
            message: `Invalid value: '${stranger}'. Supported values are: ${known.map((type) => `'${type}'`).join(", ")}.`,
            param: `${at}.content[0]`,
            code: "invalid_value",
          };
        return typeof item["content"] === "string" || Array.isArray(item["content"])
          ? null
          : { message: `Missing required parameter: '${at}.content'.`, param: `${at}.content`, code: "missing_required_parameter" };
      }),
  },
  {
    name: "each id has the prefix of its type",
    status: 400,
    source: create,
    unconfirmed: true,
    check: (ask) =>
      eachItem(ask, (item, at) => {
        const id = textOf(item["id"]);
        const begins = isMessage(item) ? "msg" : item["type"] === "function_call" ? "fc" : item["type"] === "reasoning" ? "rs" : "";
        return id === "" || id.startsWith(begins)
          ? null
          : {
              message: `Invalid '${at}.id': '${id}'. Expected an ID that begins with '${begins}'.`,
              param: `${at}.id`,
              code: "invalid_value",
            };
      }),
  },
  {
    name: "calls have all members",
    status: 400,
    source: `${types}, ResponseFunctionToolCall`,
    check: (ask) =>
      eachItem(ask, (item, at) => {
        if (item["type"] !== "function_call") return null;
        const missing = ["call_id", "name"].find((member) => textOf(item[member]) === "");
        if (missing !== undefined)
          return {
            message: `Missing required parameter: '${at}.${missing}'.`,
            param: `${at}.${missing}`,
            code: "missing_required_parameter",
          };
        return typeof item["arguments"] === "string"
          ? null
          : {
              message: `Invalid type for '${at}.arguments': expected a string, but got an object instead.`,
              param: `${at}.arguments`,
              code: "invalid_type",
            };
      }),
  },
  {
    name: "call_id has at most 64 characters",
    status: 400,
    source: create,
    unconfirmed: true,
    check: (ask) =>
      eachItem(ask, (item, at) =>
        textOf(item["call_id"]).length <= 64
          ? null
          : {
              message: `Invalid '${at}.call_id': string too long. Expected a string with maximum length 64.`,
              param: `${at}.call_id`,
              code: "string_above_max_length",
            },
      ),
  },
  {
    name: "output is a string or a list",
    status: 400,
    source: `${types}, ResponseInputItem.FunctionCallOutput`,
    check: (ask) =>
      eachItem(ask, (item, at) =>
        item["type"] !== "function_call_output" || typeof item["output"] === "string" || Array.isArray(item["output"])
          ? null
          : { message: `Invalid type for '${at}.output': expected a string.`, param: `${at}.output`, code: "invalid_type" },
      ),
  },
  {
    name: "every call has its output",
    status: 400,
    source: "https://github.com/router-for-me/CLIProxyAPI/issues/2368",
    check: ({ items }) => {
      const answered = items.filter((item) => item["type"] === "function_call_output").map((item) => item["call_id"]);
      const open = items.find((item) => item["type"] === "function_call" && !answered.includes(item["call_id"]));
      return open ? { message: `No tool output found for function call ${textOf(open["call_id"])}.`, param: "input" } : null;
    },
  },
  {
    name: "every output comes after its call",
    status: 400,
    source: "https://github.com/microsoft/vscode/issues/320060",
    check: ({ items }) => {
      const stray = items.find(
        (item, at) =>
          item["type"] === "function_call_output" &&
          !items.slice(0, at).some((earlier) => earlier["type"] === "function_call" && earlier["call_id"] === item["call_id"]),
      );
      return stray
        ? { message: `No tool call found for function call output with call_id ${textOf(stray["call_id"])}.`, param: "input" }
        : null;
    },
  },
  {
    name: "no call or output is repeated",
    status: 400,
    source: calling,
    unconfirmed: true,
    check: ({ items }) => {
      const ids = (type: string) => items.filter((item) => item["type"] === type).map((item) => textOf(item["call_id"]));
      const twice = firstDuplicate(ids("function_call")) ?? firstDuplicate(ids("function_call_output"));
      return twice === undefined ? null : { message: `Duplicate item found with call_id ${twice}.`, param: "input" };
    },
  },
  {
    name: "reasoning is sent back encrypted",
    status: 400,
    source: "https://developers.openai.com/api/docs/guides/reasoning#encrypted-reasoning-items",
    unconfirmed: true,
    check: (ask) =>
      eachItem(ask, (item, at) => {
        if (item["type"] !== "reasoning") return null;
        const [part] = listOf(item["summary"]).map(objectOf);
        const id = textOf(item["id"]);
        return item["encrypted_content"] === signatureOf(textOf(part?.["text"]), id)
          ? null
          : { message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`, param: at };
      }),
  },
  {
    name: "a call is sent back with its reasoning",
    status: 400,
    source: "https://developers.openai.com/api/docs/guides/reasoning",
    unconfirmed: true,
    check: ({ items, memory }) => {
      const ids = items.map((item) => textOf(item["id"]));
      const lone = ids.find((id) => memory.has(id) && !ids.includes(memory.get(id) ?? ""));
      return lone === undefined
        ? null
        : {
            message: `Item '${lone}' of type 'function_call' was provided without its required 'reasoning' item: '${memory.get(lone) ?? ""}'.`,
            param: "input",
          };
    },
  },
  {
    name: "tools are flat",
    status: 400,
    source: `${types}, FunctionTool`,
    check({ body }) {
      for (const [index, tool] of listOf(body["tools"]).map(objectOf).entries()) {
        if (tool["type"] === "function" && "function" in tool && !("name" in tool))
          return {
            message: `Missing required parameter: 'tools[${index}].name'.`,
            param: `tools[${index}].name`,
            code: "missing_required_parameter",
          };
      }
      return null;
    },
  },
  {
    name: "at most 128 tools",
    status: 400,
    source: "https://github.com/vishalmysore/Tools4AI/issues/16 (about chat completions)",
    unconfirmed: true,
    check: ({ functions }) =>
      functions.length > 128
        ? {
            message: "Invalid 'tools': array too long. Expected an array with maximum length 128.",
            code: "array_above_max_length",
            param: "tools",
          }
        : null,
  },
  {
    name: "tool name pattern",
    status: 400,
    source: "SDK resources/shared.d.ts, FunctionDefinition.name",
    check({ functions }) {
      const at = functions.findIndex((tool) => !/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(tool["name"])));
      return at < 0
        ? null
        : {
            message: `Invalid 'tools[${at}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
            param: `tools[${at}].name`,
            code: "invalid_value",
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
    name: "tool_choice names a tool",
    status: 400,
    source: calling,
    unconfirmed: true,
    check({ body, functions }) {
      const name = textOf(objectOf(body["tool_choice"])["name"]);
      const required = body["tool_choice"] === "required" && functions.length === 0;
      if (required) return { message: "Tool choice 'required' must be specified with 'tools' parameter.", param: "tool_choice" };
      return name === "" || functions.some((tool) => tool["name"] === name)
        ? null
        : { message: `Tool choice 'function' not found in 'tools' parameter.`, param: "tool_choice" };
    },
  },
  ...functionSchemaRules,
];

function eachItem({ items }: ResponsesAsk, check: (item: JsonObject, at: string) => Finding | null): Finding | null {
  for (const [index, item] of items.entries()) {
    const found = check(item, `input[${index}]`);
    if (found) return found;
  }
  return null;
}

const MEMBERS: ReadonlySet<string> = new Set([
  "background",
  "context_management",
  "conversation",
  "include",
  "input",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "model",
  "moderation",
  "parallel_tool_calls",
  "previous_response_id",
  "prompt",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "store",
  "stream",
  "stream_options",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "truncation",
  "user",
]);
