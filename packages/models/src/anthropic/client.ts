import Anthropic from "@anthropic-ai/sdk";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { plainFetch } from "../adapter/plain-fetch.ts";
import { ProviderError } from "../model-errors.ts";

/** Sends one request and gives the events of its answer. Rejects with what the SDK throws, or with `ProviderError` for no stream of events. */
export type AnthropicClient = (
  params: Anthropic.MessageCreateParamsStreaming,
  signal: AbortSignal,
) => Promise<AsyncIterable<Anthropic.RawMessageStreamEvent>>;

/** The longest wait that a timer takes: the signal is the deadline, the SDK has none of its own. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** All that is sent besides the body; the SDK would add what it knows of the machine. */
const SENT = ["content-type", "accept", "user-agent", "anthropic-version", "authorization"];

/** Opens no connection. Nothing of the environment has a say in where it goes, with which key and headers. The SDK's own retries, spans and log are off: a retry that nobody sees is none of ours. */
export function anthropicClient({ apiKey, baseUrl, bounds }: AdapterSettings): AnthropicClient {
  const client = new Anthropic({
    // An empty key keeps the SDK from looking for another one in the environment or on the disk.
    apiKey: apiKey ?? "",
    baseURL: baseUrl ?? "https://api.anthropic.com",
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: "off",
    openTelemetry: false,
    // As `Headers`, these outweigh `ANTHROPIC_CUSTOM_HEADERS`, which could name another key.
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
