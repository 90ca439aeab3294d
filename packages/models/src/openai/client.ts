import { type AdapterSettings } from "../adapter/adapter-settings.ts";
import { DEFAULT_BOUNDS } from "../adapter/answer-bounds.ts";
import { ModelRefused } from "../connect/model-settings.ts";
import { jsonPoster } from "./post-json.ts";
import type { StreamedAnswer } from "./streamed-answer.ts";

/** A client for one kind of request to one vendor. */
export interface OpenaiClient {
  /** The address of the requests. */
  readonly url: URL;
  /** Posts JSON text and returns the answer, whatever its status. Rejects with `NoAnswer` if there is none. */
  post(json: string, signal: AbortSignal): Promise<StreamedAnswer>;
}

/**
 * Creates a client but opens no connection. The same client talks to OpenAI, OpenRouter, Ollama and compatible servers. It reads no variable of the
 * environment, so a server never receives the key of another vendor. Throws `ModelRefused` for a malformed key.
 */
export function openaiClient(
  { apiKey, baseUrl, bounds }: Pick<AdapterSettings, "apiKey" | "baseUrl" | "bounds">,
  vendor: { readonly baseUrl: string; readonly headers: Readonly<Record<string, string>> },
  path: string,
): OpenaiClient {
  // This check comes before the request, because an error of Node's client would repeat the key.
  if (apiKey !== null && !/^[!-~]*$/.test(apiKey))
    throw new ModelRefused("The key contains a character that is not allowed in a header: copy it again.");
  const url = new URL(`${(baseUrl ?? vendor.baseUrl).replace(/\/+$/, "")}/${path}`);
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    "user-agent": "toolbus",
    ...vendor.headers,
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return { url, post: jsonPoster(url, headers, bounds ?? DEFAULT_BOUNDS) };
}
