import { startModelServer } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import { completed, failure, lookup, requestOf, restock, userEntry } from "../conformance/requests.ts";
import { AuthenticationError, ContextOverflow, NetworkError, ProviderError, RateLimitError, ValidationError } from "../model-errors.ts";
import { modelFacts } from "../facts/model-facts.ts";
import { bedrockModel } from "./bedrock-model.ts";
import type { BedrockSettings } from "./bedrock-settings.ts";
import { bedrockError } from "./errors.ts";

async function setup(more: Partial<BedrockSettings> = {}) {
  const server = await startModelServer("bedrock");
  const settings: BedrockSettings = {
    model: server.model,
    apiKey: null,
    baseUrl: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "AKIDTOOLBUS", secretAccessKey: server.key },
    facts: modelFacts("bedrock", server.model),
    ...more,
  };
  const request = requestOf([userEntry("Look.")], { tools: [lookup, restock] });
  return { server, settings, provider: bedrockModel(settings), request, [Symbol.asyncDispose]: () => server.close() };
}

describe("errors of Bedrock", () => {
  it.each<[string, number, string, unknown, RegExp]>([
    [
      "the tool that it counts",
      400,
      "The value at toolConfig.tools.1.toolSpec.inputSchema.json.type must be one of the following: object.",
      ValidationError,
      /"restock_item"/,
    ],
    ["a prompt that is too long", 400, "Input is too long for requested model.", ContextOverflow, /longer/],
    [
      "a model that needs a profile",
      400,
      "Invocation of model ID x with on-demand throughput isn’t supported.",
      ValidationError,
      /LLM_MODEL/,
    ],
    ["the request's number", 500, "Internal server error", ProviderError, /request 0{8}-/],
  ])("name %s", async (_, status, message, type, words) => {
    await using bundle = await setup();
    bundle.server.failNext({ kind: "status", status, message });
    const { error } = await failure(bundle.provider, bundle.request);
    expect(error).toBeInstanceOf(type);
    expect(String(error)).toMatch(words);
  });

  it("name a missing model, and how to set another", async () => {
    await using bundle = await setup({ model: "nobody.nothing-v1:0" });
    const { error } = await failure(bundle.provider, bundle.request);
    expect(error).toBeInstanceOf(ValidationError);
    expect(String(error)).toMatch(/"nobody.nothing-v1:0".*LLM_MODEL/);
  });

  it.each<[number, unknown]>([
    [503, ProviderError],
    [500, ProviderError],
    [429, RateLimitError],
  ])("also come as exceptions inside a stream: %d", async (status, type) => {
    await using bundle = await setup();
    bundle.server.failNext({ kind: "error-in-stream", status });
    const { error } = await failure(bundle.provider, bundle.request);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining("within the stream") });
  });

  it("name what is missing before anything can be sent", async () => {
    await using bundle = await setup();
    const asked = { settings: bundle.settings, toolNames: [], response: null };
    const none = Object.assign(new Error("Could not load credentials from any providers"), { name: "CredentialsProviderError" });
    expect(bedrockError(none, asked)).toBeInstanceOf(AuthenticationError);
    expect(String(bedrockError(none, asked))).toMatch(/AWS_ACCESS_KEY_ID.*AWS_BEARER_TOKEN_BEDROCK/);
    expect(String(bedrockError(new Error("Region is missing"), asked))).toContain("AWS_REGION");
  });

  it.each<[string, number, unknown]>([
    ["InvalidSignatureException", 403, AuthenticationError],
    ["ExpiredTokenException", 400, AuthenticationError],
    ["ServiceQuotaExceededException", 400, RateLimitError],
    ["ModelNotReadyException", 429, ProviderError],
  ])("recognise %s, whatever its status", async (name, statusCode, type) => {
    await using bundle = await setup();
    const asked = { settings: bundle.settings, toolNames: [], response: { statusCode, headers: { "retry-after": "3" } } };
    expect(bedrockError(Object.assign(new Error("No."), { name }), asked)).toBeInstanceOf(type);
  });

  it("distinguish a broken frame, a broken connection and a bug", async () => {
    await using bundle = await setup();
    const asked = { settings: bundle.settings, toolNames: [], response: { statusCode: 200, headers: {} } };
    const checksum = new Error("The message checksum (1) did not match the expected value of 2");
    expect(bedrockError(checksum, asked)).toMatchObject({ name: "ProviderError", retryable: true });
    expect(bedrockError(new Error("Truncated event message received."), asked)).toBeInstanceOf(NetworkError);
    const headers = new TypeError("fetch failed", {
      cause: Object.assign(new Error("Headers Timeout Error"), { code: "UND_ERR_HEADERS_TIMEOUT" }),
    });
    expect(bedrockError(headers, { ...asked, response: null })).toBeInstanceOf(NetworkError);
    const bug = new TypeError("x is not a function");
    expect(bedrockError(bug, asked)).toBe(bug);
  });
});

describe("a Bedrock API key", () => {
  it("is sent as a bearer token", async () => {
    await using bundle = await setup();
    const provider = bedrockModel({ ...bundle.settings, apiKey: bundle.server.key, credentials: null });
    expect((await completed(provider, bundle.request)).reply.text).not.toBe("");
    expect(bundle.server.requests[0]?.headers["authorization"]).toBe(`Bearer ${bundle.server.key}`);
  });
});
