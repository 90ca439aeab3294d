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

/** The longest time that a timer can wait. The signal is the deadline, so the SDK's own timeout must never end a request. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Creates a client but opens no connection. The SDK's own retries and log are off. The client ignores the variables that the SDK would read
 * (`OPENAI_BASE_URL`, `OPENAI_ORG_ID`, `OPENAI_CUSTOM_HEADERS` and more). The same client talks to OpenRouter, Ollama and compatible servers. If it
 * read these variables, those servers would receive OpenAI's keys. For OpenAI itself, the configuration passes `OPENAI_BASE_URL` in `baseUrl`. Throws
 * `ModelRefused` for a malformed key.
 */
export function openaiClient(
  { apiKey, baseUrl, bounds }: Pick<AdapterSettings, "apiKey" | "baseUrl" | "bounds">,
  vendor: { readonly baseUrl: string; readonly headers: Readonly<Record<string, string>> },
  path: string,
): OpenaiClient {
  // This check comes before the request, because an error of `fetch` would repeat the key.
  if (apiKey !== null && !/^[!-~]*$/.test(apiKey))
    throw new ModelRefused("The key contains a character that is not allowed in a header: copy it again.");
  const baseURL = (baseUrl ?? vendor.baseUrl).replace(/\/+$/, "");
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    "user-agent": "toolbus",
    ...vendor.headers,
    // The client also sets this header, because headers from the environment would override the key. Null sends no key.
    authorization: apiKey === null ? null : `Bearer ${apiKey}`,
  };
  const client = new OpenAI({
    // The SDK requires a key even if the request contains none.
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
    // The body is sent as text. `chat.completions.create` would serialize the whole body again, although most of it is JSON from the previous turn.
    post: (json, signal) => client.post(`/${path}`, { body: json, headers: { "content-type": "application/json" }, signal }).asResponse(),
  };
}
