import type { Rule } from "../wire/rule.ts";
import type { ChatAsk } from "./chat-ask.ts";

const errors = "https://developers.openai.com/api/docs/guides/error-codes";

/** The rules that every endpoint checks before it reads the body. */
export const openaiDoorRules: readonly Rule<ChatAsk>[] = [
  {
    name: "key is given",
    status: 401,
    source: `${errors} as quoted at developersdigest.tech/errors/api/openai-api/401-invalid-authentication`,
    check: ({ vendor, request: { headers } }) =>
      vendor.asksForKey && !/^Bearer ./.test(headers["authorization"] ?? "")
        ? "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth."
        : null,
  },
  {
    name: "key is valid",
    status: 401,
    source: `${errors} as quoted at developersdigest.tech/errors/api/openai-api/401-invalid-authentication`,
    check: ({ vendor, request: { headers } }) =>
      vendor.asksForKey && headers["authorization"] !== `Bearer ${vendor.key}`
        ? { message: "Incorrect API key provided.", code: "invalid_api_key" }
        : null,
  },
];
