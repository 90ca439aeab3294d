import { textOf } from "../wire/fields.ts";
import type { Rule } from "../wire/rule.ts";
import type { AnthropicAsk } from "./anthropic-ask.ts";
import { anthropicMessageRules } from "./anthropic-message-rules.ts";
import { anthropicToolRules } from "./anthropic-tool-rules.ts";

export const ANTHROPIC_KEY = "sk-ant-api03-toolbus-test";
export const ANTHROPIC_MODEL = "claude-sonnet-5-5";

const docs = "https://platform.claude.com/docs/en";
const errors = `${docs}/api/errors`;
const versioning = `${docs}/api/versioning`;
const messages = `${docs}/api/messages/create`;

/** The rules that every endpoint checks before it reads the body. */
export const anthropicDoorRules: readonly Rule<AnthropicAsk>[] = [
  {
    name: "known endpoint",
    status: 404,
    source: errors,
    check: ({ request: { method, path } }) =>
      ["POST /v1/messages", "POST /v1/messages/count_tokens", "GET /v1/models", `GET /v1/models/${ANTHROPIC_MODEL}`].includes(
        `${method} ${path}`,
      )
        ? null
        : "Not found",
  },
  {
    name: "key is given",
    status: 401,
    source: errors,
    check: ({ request: { headers } }) =>
      headers["x-api-key"] === undefined && headers["authorization"] === undefined ? "x-api-key header is required" : null,
  },
  {
    name: "key is valid",
    status: 401,
    source: `${versioning} (Bearer since 2026-10-21, but x-api-key still works and takes precedence if a request has both)`,
    check({ request: { headers } }) {
      const key = headers["x-api-key"] ?? headers["authorization"]?.replace(/^Bearer /, "");
      return key === ANTHROPIC_KEY ? null : headers["x-api-key"] === undefined ? "invalid bearer token" : "invalid x-api-key";
    },
  },
  {
    name: "version is given",
    status: 400,
    source: versioning,
    check: ({ version }) => (version === "" ? "anthropic-version: header is required" : null),
  },
  {
    name: "version is known",
    status: 400,
    source: versioning,
    check: ({ version }) =>
      ["2023-06-01", "2026-10-21"].includes(version) ? null : `anthropic-version: "${version}" is not a valid version`,
  },
];

/** The rules of the Messages API and of token counting for a body. */
export const anthropicRules: readonly Rule<AnthropicAsk>[] = [
  {
    name: "content type is JSON",
    status: 400,
    source: `${docs}/api/overview`,
    unconfirmed: true,
    check: ({ request: { headers } }) =>
      headers["content-type"]?.startsWith("application/json") ? null : "content-type: must be application/json",
  },
  {
    name: "body is a JSON object",
    status: 400,
    source: errors,
    check: ({ request: { body } }) =>
      typeof body === "object" && body !== null && !Array.isArray(body) ? null : "The request body is not valid JSON",
  },
  {
    name: "known members only",
    status: 400,
    source: `${messages} and SDK resources/messages/messages.d.ts, MessageCreateParamsBase`,
    check({ body, version, counting }) {
      const stranger = Object.keys(body).find(
        (member) => !(counting ? COUNTED : MEMBERS).has(member) && !(SAMPLING.has(member) && version === "2023-06-01" && !counting),
      );
      return stranger === undefined || SAMPLING.has(stranger) ? null : `${stranger}: Extra inputs are not permitted`;
    },
  },
  {
    name: "no sampling parameters since 2026-10-21",
    status: 400,
    source: versioning,
    check({ body, version }) {
      const sent = Object.keys(body).find((member) => SAMPLING.has(member));
      return sent !== undefined && version === "2026-10-21" ? `${sent}: Extra inputs are not permitted` : null;
    },
  },
  {
    name: "model is given",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, MessageCreateParamsBase",
    check: ({ body }) => (typeof body["model"] === "string" ? null : "model: Field required"),
  },
  {
    name: "model exists",
    status: 404,
    source: errors,
    check: ({ body }) => (body["model"] === ANTHROPIC_MODEL ? null : `model: ${textOf(body["model"])}`),
  },
  {
    name: "max_tokens is given",
    status: 400,
    source: "SDK resources/messages/messages.d.ts, MessageCreateParamsBase",
    check({ body, counting }) {
      if (counting) return null;
      const limit = body["max_tokens"];
      if (limit === undefined) return "max_tokens: Field required";
      return typeof limit === "number" && Number.isInteger(limit) && limit >= 1
        ? null
        : "max_tokens: Input should be greater than or equal to 1";
    },
  },
  {
    name: "max_tokens is within the model's limit",
    status: 400,
    source: `${messages} (the limit of 64,000 is this server's own)`,
    check: ({ body }) =>
      typeof body["max_tokens"] === "number" && body["max_tokens"] > 64_000
        ? `max_tokens: ${body["max_tokens"]} > 64000, which is the maximum allowed number of output tokens for ${ANTHROPIC_MODEL}`
        : null,
  },
  ...anthropicToolRules,
  ...anthropicMessageRules,
];

const SAMPLING: ReadonlySet<string> = new Set(["temperature", "top_p", "top_k"]);

const MEMBERS: ReadonlySet<string> = new Set([
  "cache_control",
  "container",
  "diagnostics",
  "context_management",
  "inference_geo",
  "max_tokens",
  "messages",
  "metadata",
  "model",
  "output_config",
  "service_tier",
  "speed",
  "stop_sequences",
  "stream",
  "system",
  "thinking",
  "tool_choice",
  "tools",
]);

const COUNTED: ReadonlySet<string> = new Set([
  "cache_control",
  "messages",
  "model",
  "output_config",
  "speed",
  "system",
  "thinking",
  "tool_choice",
  "tools",
]);
