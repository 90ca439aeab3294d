import Anthropic from "@anthropic-ai/sdk";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { plainFetch } from "../adapter/plain-fetch.ts";
import { ProviderError } from "../model-errors.ts";

/**
 * Sends one request and returns the events of its answer. Rejects with the SDK's error, or with `ProviderError` if the answer is not a stream of
 * events.
 */
export type AnthropicClient = (
  params: Anthropic.MessageCreateParamsStreaming,
  signal: AbortSignal,
) => Promise<AsyncIterable<Anthropic.RawMessageStreamEvent>>;

/** The longest wait that a timer supports. The signal is the deadline, so the SDK needs no timeout. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** The only headers that are sent. The SDK would add information about the machine. */
const SENT = ["content-type", "accept", "user-agent", "anthropic-version", "authorization"];

/**
 * Creates a client but opens no connection. The environment does not influence the address, the key or the headers. The SDK's own retries, spans and
 * log are off, because this project allows no hidden retries.
 */
export function anthropicClient({ apiKey, baseUrl, bounds }: AdapterSettings): AnthropicClient {
  const client = new Anthropic({
    // An empty key stops the SDK from looking for a key in the environment or on the disk.
    apiKey: apiKey ?? "",
    baseURL: baseUrl ?? "https://api.anthropic.com",
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: "off",
    openTelemetry: false,
    // As `Headers`, these values override `ANTHROPIC_CUSTOM_HEADERS`, which could name another key.
    defaultHeaders: new Headers({ authorization: `Bearer ${apiKey ?? ""}`, "user-agent": "toolbus" }),
    fetch: plainFetch(SENT, bounds),
  });
  return async (params, signal) => {
    const { data, response } = await client.messages.create(params, { signal }).withResponse();
    const type = response.headers.get("content-type") ?? "no content type";
    if (type.startsWith("text/event-stream")) return data;
    data.controller.abort();
    throw new ProviderError(`Anthropic's answer is ${JSON.stringify(type)}, not a stream of events${whereTo(baseUrl)}.`, false);
  };
}

function whereTo(baseUrl: string | null): string {
  return baseUrl === null
    ? ""
    : ": check that LLM_BASE_URL is an address that speaks the Messages API, with nothing before it that answers";
}
