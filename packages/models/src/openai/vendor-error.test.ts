import { describe, expect, it } from "vitest";
import { compatibleModel } from "../compatible/compatible-model.ts";
import type { ModelProvider } from "../model-provider.ts";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { ollamaModel } from "../ollama/ollama-model.ts";
import { openrouterModel } from "../openrouter/openrouter-model.ts";
import { openaiModel } from "./openai-model.ts";
import { openaiResponsesModel } from "./openai-responses-model.ts";
import { type Answer, asking, count, events, facts, failure, lookup, testStream } from "../testing/test-stream.ts";

const KEY = "sk-proj-0123456789abcdef";

async function error(model: (settings: AdapterSettings) => ModelProvider, answer: Answer, name = "model-1"): Promise<unknown> {
  await using stream = await testStream(answer);
  return await failure(model({ model: name, apiKey: KEY, baseUrl: stream.url, facts }));
}

function refusal(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", "x-request-id": "req_42", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

const said = (message: string, more: object = {}) => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...more },
});

describe("an error of the vendor", () => {
  it.each([
    ["openai", openaiModel, 401, said("Incorrect API key"), {}, "AuthenticationError", false, /OpenAI.*401.*req_42.*OPENAI_API_KEY/],
    ["openrouter", openrouterModel, 401, said("No auth"), {}, "AuthenticationError", false, /OpenRouter.*OPENROUTER_API_KEY/],
    ["compatible", compatibleModel, 403, said("No"), {}, "AuthenticationError", false, /403.*LLM_API_KEY/],
    [
      "openrouter",
      openrouterModel,
      402,
      said("Insufficient credits"),
      {},
      "AuthenticationError",
      false,
      /402.*openrouter.ai\/settings\/credits/,
    ],
    [
      "openrouter",
      openrouterModel,
      402,
      said("In flight"),
      { "retry-after": "3" },
      "RateLimitError",
      true,
      /too many requests.*in progress/,
    ],
    ["openai", openaiModel, 429, said("You exceeded", { code: "insufficient_quota" }), {}, "AuthenticationError", false, /billing/],
    ["openai", openaiModel, 429, said("Slow down"), { "retry-after-ms": "1500" }, "RateLimitError", true, /429/],
    ["openai", openaiModel, 404, said("No such model", { code: "model_not_found" }), {}, "ValidationError", false, /model-1.*LLM_MODEL/],
    ["ollama", ollamaModel, 404, { error: 'model "model-1" not found' }, {}, "ValidationError", false, /ollama pull model-1/],
    [
      "openai",
      openaiModel,
      400,
      said("Too long", { code: "context_length_exceeded" }),
      {},
      "ValidationError",
      false,
      /longer than model-1/,
    ],
    [
      "compatible",
      compatibleModel,
      400,
      said("This model's maximum context length is 8192 tokens."),
      {},
      "ValidationError",
      false,
      /longer than/,
    ],
    ["compatible", compatibleModel, 413, "<html>Too large</html>", {}, "ValidationError", false, /longer than/],
    [
      "openai",
      openaiModel,
      400,
      said("Invalid schema", { param: "tools[1].function.parameters" }),
      {},
      "ValidationError",
      false,
      /tool "count"/,
    ],
    ["openai", openaiModel, 400, said("Invalid schema for function 'lookup': …"), {}, "ValidationError", false, /tool "lookup"/],
    ["openai", openaiModel, 400, said("Something"), {}, "ValidationError", false, /tool's schema is the first suspect/],
    ["compatible", compatibleModel, 422, { detail: "unprocessable" }, {}, "ValidationError", false, /unprocessable/],
    [
      "openrouter",
      openrouterModel,
      403,
      { error: { code: 403, message: "Flagged", metadata: { reasons: ["violence"] } } },
      {},
      "ValidationError",
      false,
      /rules/,
    ],
    [
      "openrouter",
      openrouterModel,
      502,
      { error: { code: 502, message: "Provider returned error", metadata: { raw: "upstream is down" } } },
      {},
      "ProviderError",
      true,
      /upstream is down/,
    ],
    ["openai", openaiModel, 529, "", {}, "ProviderError", true, /529/],
    ["openai", openaiModel, 503, said("Later"), { "retry-after": "2" }, "ProviderError", true, /503/],
    ["openai", openaiModel, 302, "", { location: "/login" }, "ProviderError", false, /302.*LLM_BASE_URL/],
  ] as const)("of %s becomes an error that a caller can act on (%#)", async (_, model, status, body, headers, name, retryable, words) => {
    const failed = await error(model, refusal(status, body, headers));
    expect(failed).toMatchObject({ name, retryable });
    expect(String(failed)).toMatch(words);
  });

  it.each([
    [{ "retry-after-ms": "1500" }, 1500],
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT", date: "Sat, 21 Nov 2026 10:00:00 GMT" }, 30_000],
    [{}, null],
  ])("has the wait that %j asks for", async (headers, ms) => {
    expect(await error(openaiModel, refusal(429, said("Slow"), headers))).toMatchObject({ retryAfterMs: ms });
    expect(await error(openaiModel, refusal(503, said("Slow"), headers))).toMatchObject({ retryAfterMs: ms });
  });

  it("is a context overflow if a shorter conversation could succeed", async () => {
    const { constructor } = (await error(openaiModel, refusal(400, said("long", { code: "context_length_exceeded" })))) as object;
    expect(constructor.name).toBe("ContextOverflow");
  });

  it("contains neither the key nor the prompt, and only one line", async () => {
    const leaky = `Incorrect API key provided: ${KEY}, sk-abc***xyz9. 'input': {'messages': 'Look up 7.'}\n\u001b[31m${"x".repeat(5000)}`;
    for (const status of [400, 401, 403, 429, 500]) {
      const failed = String(await error(openaiModel, refusal(status, said(leaky))));
      expect(failed).not.toMatch(/0123456789|xyz9|Look up|\u001b|\n/);
      expect(failed.length).toBeLessThan(700);
    }
  });
});

describe("an error in a stream that began without one", () => {
  const begun = { choices: [{ index: 0, delta: { content: "Well" }, finish_reason: null }] };
  it.each([
    [
      "openrouter",
      openrouterModel,
      { error: { code: 502, message: "Bad gateway" }, choices: [{ delta: {}, finish_reason: "error" }] },
      "ProviderError",
      true,
    ],
    ["openrouter", openrouterModel, { error: { code: "529", message: "Overloaded" } }, "ProviderError", true],
    ["openrouter", openrouterModel, { error: { code: 429, message: "Slow down" } }, "RateLimitError", true],
    ["openrouter", openrouterModel, { error: { code: 401, message: "Key" } }, "AuthenticationError", false],
    ["openrouter", openrouterModel, { error: { code: 400, message: "Wrong" } }, "ValidationError", false],
    ["openai", openaiModel, { error: { type: "server_error", message: "Oh" } }, "ProviderError", true],
    ["openai", openaiModel, { error: { code: "context_length_exceeded", message: "Long" } }, "ValidationError", false],
    ["compatible", compatibleModel, { error: "out of memory" }, "ProviderError", true],
    ["compatible", compatibleModel, { error: { message: "what?", code: "odd" } }, "ProviderError", true],
  ] as const)("of %s is judged by its code (%#)", async (_, model, event, name, retryable) => {
    expect(await error(model, events(begun, event, "[DONE]"))).toMatchObject({ name, retryable });
  });

  it("is also found in a plain answer to a request for a stream", async () => {
    const failed = await error(openrouterModel, refusal(200, { error: { code: 429, message: "Slow down" } }));
    expect(failed).toMatchObject({ name: "RateLimitError" });
  });

  it.each([
    [{ type: "error", code: "rate_limit_exceeded", message: "Slow" }, "RateLimitError", true],
    [{ type: "response.failed", response: { error: { code: "server_error", message: "Oh" } } }, "ProviderError", true],
    [{ type: "response.failed", response: { error: { code: "invalid_prompt", message: "No" } } }, "ValidationError", false],
    [{ type: "response.failed", response: {} }, "ProviderError", true],
  ])("of responses is judged by its code: %j", async (event, name, retryable) => {
    expect(await error(openaiResponsesModel, events({ type: "response.created" }, event))).toMatchObject({ name, retryable });
  });
});

describe("an answer that is not a stream", () => {
  it("is reported with its content type and the setting to check", async () => {
    const page: Answer = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in</html>");
    const failed = await error(compatibleModel, page);
    expect(failed).toMatchObject({ name: "ProviderError", retryable: false });
    expect(String(failed)).toMatch(/text\/html.*LLM_BASE_URL/);
  });

  it("is broken if one of its events is, and cut off if the last one is", async () => {
    const broken =
      (end: string): Answer =>
      (response) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: {"choices":[{"del${end}`);
    expect(await error(openaiModel, broken("\n\ndata: [DONE]\n\n"))).toMatchObject({ name: "ProviderError", retryable: true });
    expect(await error(openaiModel, broken(""))).toMatchObject({ name: "NetworkError", retryable: true });
  });

  it("is classified by its status even if its body never arrives, or never ends", async () => {
    const cut: Answer = (response) => {
      response.writeHead(503, { "content-type": "text/plain", "content-length": "100" });
      response.write("half", () => response.destroy());
    };
    expect(await error(openaiModel, cut)).toMatchObject({ name: "ProviderError", retryable: true });
    const endless: Answer = (response) => {
      response.writeHead(400, { "content-type": "text/plain" });
      const more = (): void => void (response.destroyed || response.write("x".repeat(10_000), more));
      more();
    };
    expect(await error(openaiModel, endless)).toMatchObject({ name: "ValidationError" });
  });

  it("says how to start Ollama if it does not run", async () => {
    const gone = await testStream(() => undefined);
    await gone[Symbol.asyncDispose]();
    const failed = await failure(
      ollamaModel({ model: "qwen3", apiKey: null, baseUrl: gone.url, facts }),
      asking({ tools: [lookup, count] }),
    );
    expect(failed).toMatchObject({ name: "NetworkError", retryable: true });
    expect(String(failed)).toMatch(/nothing listens there.*ollama serve.*OLLAMA_HOST/);
  });

  it("needs an address for a compatible server", () => {
    expect(() => compatibleModel({ model: "m", apiKey: null, baseUrl: null, facts })).toThrow(/LLM_BASE_URL/);
  });
});
