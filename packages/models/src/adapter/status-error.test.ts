import { describe, expect, it } from "vitest";
import { AuthenticationError, ContextOverflow, ProviderError, RateLimitError, ValidationError } from "../model-errors.ts";
import { type ErrorAnswer, statusError } from "./status-error.ts";

const secret = "sk-ant-api03-very-secret";

function errorFor(more: Partial<ErrorAnswer>) {
  return statusError({
    provider: { name: "Acme", keyVariable: "ACME_API_KEY", baseUrl: null, secret },
    model: "acme-1",
    toolNames: ["lookup_order", "orders.restock"],
    status: 400,
    inStream: false,
    said: "",
    requestId: "req_1",
    retryAfterMs: null,
    ...more,
  });
}

describe("an answer that is an error", () => {
  it.each<[number | null, unknown, boolean]>([
    [400, ValidationError, false],
    [401, AuthenticationError, false],
    [402, AuthenticationError, false],
    [403, AuthenticationError, false],
    [404, ValidationError, false],
    [408, ProviderError, true],
    [409, ProviderError, true],
    [413, ContextOverflow, false],
    [418, ProviderError, false],
    [422, ValidationError, false],
    [424, ProviderError, true],
    [429, RateLimitError, true],
    [500, ProviderError, true],
    [501, ProviderError, true],
    [502, ProviderError, true],
    [503, ProviderError, true],
    [504, ProviderError, true],
    [529, ProviderError, true],
    [null, ProviderError, false],
  ])("with status %s gets its class", (status, type, retryable) => {
    const error = errorFor({ status });
    expect(error).toBeInstanceOf(type);
    expect(error.retryable).toBe(retryable);
    expect(error.message).toContain("Acme");
    expect(error.message).toContain("req_1");
    if (status !== null) expect(error.message).toContain(String(status));
  });

  it("names what to set", () => {
    expect(errorFor({ status: 401 }).message).toContain("ACME_API_KEY");
    expect(errorFor({ status: 404 }).message).toMatch(/"acme-1".*LLM_MODEL/);
    expect(errorFor({ status: 400, kind: "billing", said: "no credit" }).message).toMatch(/credit/);
  });

  it.each([
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000",
    "Input is too long for requested model.",
    "This model's maximum context length is 128000 tokens.",
  ])("is an overflow if it says so: %s", (said) => {
    expect(errorFor({ said })).toBeInstanceOf(ContextOverflow);
    expect(errorFor({ said, status: 500 })).not.toBeInstanceOf(ContextOverflow);
  });

  it.each([
    ["tools.1.custom.input_schema: JSON schema is invalid", "orders.restock"],
    ["The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.", "lookup_order"],
    ["Value '' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint", "lookup_order"],
    ["Invalid schema: tools[1].function.parameters", "orders.restock"],
  ])("names the tool that the vendor refers to by number: %s", (said, name) => {
    expect(errorFor({ said }).message).toContain(`the tool "${name}"`);
  });

  it("points to the tools first if the vendor names none", () => {
    expect(errorFor({ said: "messages.0: bad" }).message).toContain("a tool's schema first");
    expect(errorFor({ said: "tools.7.custom: bad" }).message).toContain("a tool's schema first");
  });

  it("passes on how long to wait", () => {
    expect(errorFor({ status: 429, retryAfterMs: 5 })).toMatchObject({ retryAfterMs: 5 });
    expect(errorFor({ status: 503, retryAfterMs: 5 })).toMatchObject({ retryAfterMs: 5 });
    expect(errorFor({ status: 529 })).toMatchObject({ retryAfterMs: null });
  });

  it("repeats the vendor's words in one short line without keys", () => {
    const said = `bad\n\u001b[31m ${secret} Bearer abc.def AKIAABCDEFGHIJKL sk-other-key-123456 ${"x".repeat(5000)}`;
    const { message } = errorFor({ said });
    expect(message).not.toMatch(/secret|abc\.def|AKIAABCDEFGHIJKL|other-key|[\n\u001b]/);
    expect(message.length).toBeLessThan(600);
    expect(errorFor({ status: 401, said: "Incorrect API key provided: 12ab" }).message).not.toContain("12ab");
  });
});
