import { describe, expect, it } from "vitest";
import { baseAddress, ollamaAddress } from "./model-address.ts";

describe("the address of a model", () => {
  it("is taken without the slash at its end", () => {
    expect(baseAddress("https://llm.example/v1/", "LLM_BASE_URL")).toBe("https://llm.example/v1");
  });

  it.each(["llm.example/v1", "ftp://llm.example", "https://me:secret@llm.example", "https://llm.example/?key=secret"])(
    "cannot be %j, and is not repeated",
    (text) => {
      expect(() => baseAddress(text, "LLM_BASE_URL")).toThrow(/^LLM_BASE_URL (is no address|holds more than an address)(?!.*secret)/);
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

  it("of Ollama can be nonsense", () => {
    expect(() => ollamaAddress("http://")).toThrow(/OLLAMA_HOST is no address/);
  });
});
