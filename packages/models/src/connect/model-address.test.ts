import { describe, expect, it } from "vitest";
import { baseAddress, ollamaAddress, otherAddress } from "./model-address.ts";

describe("the address of a model", () => {
  it("is used without its trailing slash", () => {
    expect(baseAddress("https://llm.example/v1/", "LLM_BASE_URL")).toBe("https://llm.example/v1");
  });

  it.each(["llm.example/v1", "ftp://llm.example", "https://me:secret@llm.example", "https://llm.example/?key=secret"])(
    "cannot be %j, and is not repeated",
    (text) => {
      expect(() => baseAddress(text, "LLM_BASE_URL")).toThrow(
        /^LLM_BASE_URL (is not an address|contains more than an address)(?!.*secret)/,
      );
    },
  );

  it.each([
    [null, "http://127.0.0.1:11434"],
    ["127.0.0.1:4000", "http://127.0.0.1:4000"],
    ["gpu.example", "http://gpu.example:11434"],
    ["http://gpu.example:11434/", "http://gpu.example:11434"],
    ["https://gpu.example", "https://gpu.example"],
    ["http://gpu.example:11434/v1", "http://gpu.example:11434"],
    ["0.0.0.0:11434", "http://127.0.0.1:11434"],
  ])("of Ollama is read as Ollama reads %j", (host, address) => {
    expect(ollamaAddress(host)).toBe(address);
  });

  it("of Ollama is refused if it is invalid", () => {
    expect(() => ollamaAddress("http://")).toThrow(/OLLAMA_HOST is not an address/);
  });
});

describe("an address other than the vendor's own", () => {
  const ofOpenai = "https://openai.example/v1";

  it("comes from LLM_BASE_URL for the provider that it was set for, and from OPENAI_BASE_URL for openai if the former is not set", () => {
    const both = { baseUrl: "http://llm.example/v1", openaiBaseUrl: ofOpenai };
    expect(otherAddress(both, "openai")).toEqual({ url: both.baseUrl, variable: "LLM_BASE_URL" });
    expect(otherAddress({ ...both, baseUrl: null }, "openai")).toEqual({ url: ofOpenai, variable: "OPENAI_BASE_URL" });
    for (const provider of ["anthropic", "openrouter", "compatible", "ollama", "bedrock", "cli", "offline"] as const)
      expect(otherAddress({ ...both, baseUrl: null }, provider)).toBeNull();
  });

  it.each(["http://localhost:8000/v1", "http://127.0.0.1:8000/v1", "http://[::1]:8000/v1", ofOpenai])(
    "of OPENAI_BASE_URL is encrypted, or on this machine: %s",
    (openaiBaseUrl) => {
      expect(otherAddress({ baseUrl: null, openaiBaseUrl }, "openai")?.url).toBe(openaiBaseUrl);
    },
  );

  it.each([
    ["http://proxy.example/v1", /^OPENAI_BASE_URL begins with http:\/\/ .*set LLM_BASE_URL to it and LLM_PROVIDER=openai\.$/],
    ["http://127.0.0.1.example/v1", /begins with http/],
    ["http://localhost.example/v1", /begins with http/],
    ["proxy.example", /^OPENAI_BASE_URL is not an address/],
    ["https://me:secret@proxy.example", /^OPENAI_BASE_URL contains more than an address(?!.*secret)/],
  ])("of OPENAI_BASE_URL is refused in one sentence: %s", (openaiBaseUrl, words) => {
    expect(() => otherAddress({ baseUrl: null, openaiBaseUrl }, "openai")).toThrow(words);
  });
});
