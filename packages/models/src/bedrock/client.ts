import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseStreamCommand,
  type ConverseStreamCommandInput,
  type ConverseStreamOutput,
} from "@aws-sdk/client-bedrock-runtime";
import { ProviderError } from "../model-errors.ts";
import type { BedrockSettings } from "./bedrock-settings.ts";
import { fetchHandler } from "./fetch-handler.ts";

/** The parts of the HTTP answer that the SDK's errors do not contain. */
export interface SeenResponse {
  readonly statusCode: number;
  /** The headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends one request and returns the events of its answer. Rejects with the SDK's error, or with `ProviderError` if the answer is not a stream of
 * events. If an answer arrived, `seen.response` contains it.
 */
export type BedrockClient = (
  input: ConverseStreamCommandInput,
  signal: AbortSignal,
  seen: { response: SeenResponse | null },
) => Promise<AsyncIterable<ConverseStreamOutput>>;

/**
 * Creates a client but opens no connection. The client looks for credentials only when it sends. The SDK's own retries are off, because this project
 * allows no hidden retries.
 */
export function bedrockClient(settings: BedrockSettings): BedrockClient {
  const { baseUrl, region, bounds } = settings;
  const client = new BedrockRuntimeClient({
    ...(region === null ? {} : { region }),
    ...(baseUrl === null ? {} : { endpoint: baseUrl }),
    ...authOf(settings),
    maxAttempts: 1,
    requestHandler: fetchHandler(bounds),
  });
  return async (input, signal, seen) => {
    const command = new ConverseStreamCommand(input);
    // This middleware runs directly around the HTTP handler, so that it sees the answer before the SDK misreads it.
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        seen.response = responseOf(result.response);
        assertEventStream(seen.response, baseUrl);
        return result;
      },
      { step: "deserialize", priority: "low", name: "seeResponse" },
    );
    const { stream } = await client.send(command, { abortSignal: signal });
    if (!stream) throw new ProviderError("Amazon Bedrock answered without a stream: nothing of it is used.", true);
    return stream;
  };
}

function authOf({
  apiKey,
  credentials,
}: BedrockSettings): Pick<BedrockRuntimeClientConfig, "credentials" | "token" | "authSchemePreference"> {
  if (apiKey !== null) return { token: { token: apiKey }, authSchemePreference: ["httpBearerAuth"] };
  if (credentials !== null) return { credentials, authSchemePreference: ["sigv4"] };
  return {};
}

function responseOf(response: unknown): SeenResponse | null {
  const { statusCode, headers } = response as Partial<SeenResponse>;
  return typeof statusCode === "number" ? { statusCode, headers: headers ?? {} } : null;
}

/** Throws if the answer is not a stream of events, because the SDK would read the first bytes of any answer as the length of a frame. */
function assertEventStream(response: SeenResponse | null, baseUrl: string | null): void {
  if (response?.statusCode !== 200) return;
  const type = response.headers["content-type"] ?? "no content type";
  if (type.startsWith("application/vnd.amazon.eventstream")) return;
  const check = baseUrl === null ? "" : ": check that LLM_BASE_URL is an address that speaks Converse, with nothing before it that answers";
  throw new ProviderError(`Amazon Bedrock's answer is ${JSON.stringify(type)}, not a stream of events${check}.`, false);
}
