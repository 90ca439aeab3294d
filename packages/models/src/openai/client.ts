import OpenAI from "openai";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { ModelRefused } from "../connect/model-settings.ts";
import { plainFetch } from "../adapter/plain-fetch.ts";

/** A client for one kind of request to one vendor. */
export interface OpenaiClient {
  /** The address of the requests. */
  readonly url: URL;
  /** Posts JSON text and returns the response if its status is a success. Rejects with the SDK's errors. */
  post(json: string, signal: AbortSignal): Promise<Response>;
}

/** The longest time that a timer can wait: the signal is the deadline, so the SDK's own must never end a request. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Opens no connection. The SDK's own retries and log are off, and it ignores the variables that the SDK would read (`OPENAI_BASE_URL`, `OPENAI_ORG_ID`,
 * `OPENAI_CUSTOM_HEADERS` and more): the same client talks to OpenRouter, Ollama and compatible servers, and they would get OpenAI's keys.
 * For OpenAI itself, configuration passes `OPENAI_BASE_URL` in `baseUrl`. Throws `ModelRefused` for a malformed key.
 */
export function openaiClient(
  { apiKey, baseUrl, bounds }: Pick<AdapterSettings, "apiKey" | "baseUrl" | "bounds">,
  vendor: { readonly baseUrl: string; readonly headers: Readonly<Record<string, string>> },
  path: string,
): OpenaiClient {
  // An error of `fetch` would repeat the key.
  if (apiKey !== null && !/^[!-~]*$/.test(apiKey))
    throw new ModelRefused("The key contains a character that is not allowed in a header: copy it again.");
  const baseURL = (baseUrl ?? vendor.baseUrl).replace(/\/+$/, "");
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    "user-agent": "toolbus",
    ...vendor.headers,
    // Set here as well, because headers of the environment would override the key; null sends none.
    authorization: apiKey === null ? null : `Bearer ${apiKey}`,
  };
  const client = new OpenAI({
    // The SDK requires a key even if none is sent.
    apiKey: apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    baseURL,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: "off",
    defaultHeaders: headers,
    fetch: plainFetch(Object.keys(headers), bounds),
  });
  return {
    url: new URL(`${baseURL}/${path}`),
    // As text, and not by `chat.completions.create`, which would serialize the whole body again: most of it is JSON from the previous turn.
    post: (json, signal) => client.post(`/${path}`, { body: json, headers: { "content-type": "application/json" }, signal }).asResponse(),
  };
}
