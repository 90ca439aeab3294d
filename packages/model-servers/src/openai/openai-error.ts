import type { JsonObject } from "@toolbus/contracts";
import type { ChatVendor } from "./chat-vendor.ts";

/** Returns the body of an error in OpenAI's form, which Ollama and most compatible servers use too, or in OpenRouter's form. */
export function openaiError(vendor: ChatVendor["name"], status: number, message: string, code?: string, param?: string): JsonObject {
  // Source: openrouter.ai/docs/api-reference/errors. OpenRouter's code is the number of the status.
  if (vendor === "openrouter") return { error: { code: status, message, metadata: null }, user_id: "user_toolbus" };
  return {
    error: {
      message,
      type: TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error"),
      param: param ?? null,
      code: code ?? CODES[status] ?? null,
    },
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: "invalid_request_error",
  403: "invalid_request_error",
  429: "requests",
};

const CODES: Readonly<Record<number, string>> = { 401: "invalid_api_key", 429: "rate_limit_exceeded" };
