import { textOf } from "../wire/fields.ts";
import type { Rule } from "../wire/rule.ts";
import type { ChatAsk } from "./chat-ask.ts";

const create = "https://developers.openai.com/api/reference/resources/chat";
const types = "SDK resources/chat/completions/completions.d.ts, ChatCompletionCreateParamsBase";

/** The rules for the body as a whole. */
export const chatBodyRules: readonly Rule<ChatAsk>[] = [
  {
    name: "body is a JSON object",
    status: 400,
    source: create,
    unconfirmed: true,
    check: ({ request: { body } }) =>
      typeof body === "object" && body !== null && !Array.isArray(body)
        ? null
        : "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly.)",
  },
  {
    name: "content type is JSON",
    status: 400,
    source: create,
    unconfirmed: true,
    check: ({ request: { headers } }) =>
      headers["content-type"]?.startsWith("application/json") ? null : "Unsupported content type. Use 'application/json'.",
  },
  {
    name: "known members only",
    status: 400,
    source: types,
    check({ body, vendor }) {
      if (vendor.name !== "openai") return null;
      const stranger = Object.keys(body).find((member) => !MEMBERS.has(member));
      return stranger === undefined
        ? null
        : { message: `Unrecognized request argument supplied: ${stranger}`, param: stranger, code: "unknown_parameter" };
    },
  },
  {
    name: "model is given",
    status: 400,
    source: create,
    unconfirmed: true,
    check: ({ body }) => (typeof body["model"] === "string" && body["model"] !== "" ? null : "you must provide a model parameter"),
  },
  {
    name: "model exists",
    status: 404,
    source: "https://developers.openai.com/api/docs/guides/error-codes",
    unconfirmed: true,
    check({ body, vendor }) {
      if (body["model"] === vendor.model || vendor.name === "openrouter") return null;
      const model = textOf(body["model"]);
      return vendor.name === "ollama"
        ? `model '${model}' not found`
        : { message: `The model \`${model}\` does not exist or you do not have access to it.`, code: "model_not_found", param: "model" };
    },
  },
  {
    name: "model exists at OpenRouter",
    status: 400,
    source: "https://openrouter.ai/docs/api-reference/errors",
    unconfirmed: true,
    check: ({ body, vendor }) => (body["model"] === vendor.model ? null : `${textOf(body["model"])} is not a valid model ID`),
  },
  {
    name: "max_completion_tokens for a reasoning model",
    status: 400,
    source: "SDK resources/chat/completions/completions.d.ts, max_tokens",
    check: ({ body, vendor }) =>
      vendor.reasoning && body["max_tokens"] !== undefined && body["max_tokens"] !== null
        ? {
            message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            code: "unsupported_parameter",
            param: "max_tokens",
          }
        : null,
  },
  {
    name: "token limit is a positive integer",
    status: 400,
    source: create,
    unconfirmed: true,
    check({ body }) {
      const param = ["max_completion_tokens", "max_tokens"].find((member) => {
        const limit = body[member];
        return limit !== undefined && limit !== null && !(typeof limit === "number" && Number.isInteger(limit) && limit >= 1);
      });
      return param === undefined
        ? null
        : { message: `Invalid '${param}': integer below minimum value. Expected a value >= 1.`, code: "integer_below_min_value", param };
    },
  },
  {
    name: "no sampling parameters for a reasoning model",
    status: 400,
    source: "https://portkey.ai/error-library/unsupported-parameter-error-10521 (about o1)",
    check({ body, vendor }) {
      if (!vendor.reasoning) return null;
      const param = ["temperature", "top_p"].find((member) => ![undefined, null, 1].some((usual) => body[member] === usual));
      return param === undefined
        ? null
        : {
            message: `Unsupported value: '${param}' does not support ${JSON.stringify(body[param])} with this model. Only the default (1) value is supported.`,
            code: "unsupported_value",
            param,
          };
    },
  },
  {
    name: "temperature in range",
    status: 400,
    source: types,
    check({ body: { temperature } }) {
      const inRange =
        temperature === undefined || temperature === null || (typeof temperature === "number" && temperature >= 0 && temperature <= 2);
      return inRange
        ? null
        : { message: "Invalid 'temperature': expected a value between 0 and 2.", param: "temperature", code: "decimal_out_of_range" };
    },
  },
  {
    name: "stream_options only with stream",
    status: 400,
    source: types,
    check: ({ body }) =>
      body["stream_options"] !== undefined && body["stream_options"] !== null && body["stream"] !== true
        ? { message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.", param: "stream_options" }
        : null,
  },
];

const MEMBERS: ReadonlySet<string> = new Set([
  "messages",
  "model",
  "audio",
  "frequency_penalty",
  "function_call",
  "functions",
  "logit_bias",
  "logprobs",
  "max_completion_tokens",
  "max_tokens",
  "metadata",
  "modalities",
  "moderation",
  "n",
  "parallel_tool_calls",
  "prediction",
  "presence_penalty",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "reasoning_effort",
  "response_format",
  "safety_identifier",
  "seed",
  "service_tier",
  "stop",
  "store",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "user",
  "verbosity",
  "web_search_options",
]);
