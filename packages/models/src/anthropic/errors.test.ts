import { startModelServer } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import { failure, lookup, requestOf, restock, userEntry } from "../conformance/requests.ts";
import { AuthenticationError, ContextOverflow, ProviderError, RateLimitError, ValidationError } from "../model-errors.ts";
import { modelFacts } from "../facts/model-facts.ts";
import { anthropicModel } from "./anthropic-model.ts";

async function setup(model?: string) {
  const server = await startModelServer("anthropic");
  const facts = modelFacts("anthropic", server.model);
  const provider = anthropicModel({ model: model ?? server.model, apiKey: server.key, baseUrl: server.url, facts });
  const request = requestOf([userEntry("Look.")], { tools: [lookup, restock] });
  return { server, provider, request, [Symbol.asyncDispose]: () => server.close() };
}

describe("errors of Anthropic", () => {
  it.each<[string, number, string, unknown, RegExp]>([
    ["the tool that it counts", 400, "tools.1.custom.input_schema: JSON schema is invalid.", ValidationError, /"restock_item"/],
    ["a prompt that is too long", 400, "prompt is too long: 210000 tokens > 200000 maximum", ContextOverflow, /longer/],
    ["a credit that is used up", 400, "Your credit balance is too low to access the Anthropic API.", AuthenticationError, /credit/],
    ["a bill that is not paid", 402, "Payment required", AuthenticationError, /credit/],
    ["the key's variable", 401, "invalid x-api-key", AuthenticationError, /ANTHROPIC_API_KEY/],
    ["the request's number", 500, "Internal server error", ProviderError, /req_011CTestToolbus/],
  ])("name %s", async (_, status, message, type, words) => {
    await using bundle = await setup();
    bundle.server.failNext({ kind: "status", status, message });
    const { error } = await failure(bundle.provider, bundle.request);
    expect(error).toBeInstanceOf(type);
    expect(String(error)).toMatch(words);
  });

  it.each<[number, unknown]>([
    [529, ProviderError],
    [500, ProviderError],
    [429, RateLimitError],
  ])("also come as events inside a stream: %d", async (status, type) => {
    await using bundle = await setup();
    bundle.server.failNext({ kind: "error-in-stream", status });
    const { error } = await failure(bundle.provider, bundle.request);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ retryable: true });
    expect(String(error)).toMatch(/within the stream.*req_011CTestToolbus/);
  });

  it("name a missing model, and how to set another", async () => {
    await using bundle = await setup("claude-nowhere");
    const { error } = await failure(bundle.provider, bundle.request);
    expect(error).toBeInstanceOf(ValidationError);
    expect(String(error)).toMatch(/"claude-nowhere".*LLM_MODEL/);
  });
});
