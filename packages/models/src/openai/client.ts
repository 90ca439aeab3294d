import OpenAI from "openai";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { ModelRefused } from "../connect/model-settings.ts";
import { plainFetch } from "../adapter/plain-fetch.ts";

/** One kind of request to one vendor. */
export interface OpenaiClient {
  /** Where the requests go. */
  readonly url: URL;
  /** Posts JSON text and gives the answer once its status is one of success. Rejects with what the SDK throws. */
  post(json: string, signal: AbortSignal): Promise<Response>;
}

/** The longest wait that a timer takes: the signal is the deadline, the SDK has none of its own. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Opens no connection. The SDK's own retries and log are off, and nothing that it would read from the environment (`OPENAI_BASE_URL`, `OPENAI_ORG_ID`,
 * `OPENAI_CUSTOM_HEADERS` and more) has a say here: the same client speaks to OpenRouter, Ollama and compatible servers, whose keys would go there too.
 * What `OPENAI_BASE_URL` says of OpenAI itself comes in `baseUrl`, by configuration. Throws `ModelRefused` for a key that can be none.
 */
export function openaiClient(
  { apiKey, baseUrl, bounds }: Pick<AdapterSettings, "apiKey" | "baseUrl" | "bounds">,
  vendor: { readonly baseUrl: string; readonly headers: Readonly<Record<string, string>> },
  path: string,
): OpenaiClient {
  // An error of `fetch` would repeat it.
  if (apiKey !== null && !/^[!-~]*$/.test(apiKey)) throw new ModelRefused("The key holds a character that no header takes: copy it again.");
  const baseURL = (baseUrl ?? vendor.baseUrl).replace(/\/+$/, "");
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    "user-agent": "toolbus",
    ...vendor.headers,
    // Said here as well, as headers of the environment would outweigh the key; null sends none.
    authorization: apiKey === null ? null : `Bearer ${apiKey}`,
  };
  const client = new OpenAI({
    // It must have one even where none is sent.
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
    // As text, and not by `chat.completions.create`: most of the body is JSON from the turn before, and that would write all of it anew.
    post: (json, signal) => client.post(`/${path}`, { body: json, headers: { "content-type": "application/json" }, signal }).asResponse(),
  };
}
