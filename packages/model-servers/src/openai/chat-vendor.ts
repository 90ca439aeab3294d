import type { Served } from "../model-server.ts";

/** A vendor of chat completions that this package simulates, with its differences from the others. */
export interface ChatVendor {
  readonly name: Exclude<Served, "anthropic" | "bedrock">;
  readonly key: string;
  readonly model: string;
  readonly base: string;
  /** False for a local server, which does not check keys. */
  readonly asksForKey: boolean;
  /** True for a reasoning model, which requires `max_completion_tokens` and refuses sampling. */
  readonly reasoning: boolean;
  /** The member of a message that contains the model's thinking, or null if the vendor does not show it. */
  readonly thinkingMember: "reasoning" | "reasoning_content" | null;
}

export const CHAT_VENDORS: Readonly<Record<ChatVendor["name"], ChatVendor>> = {
  openai: {
    name: "openai",
    key: "sk-proj-toolbus-test",
    model: "gpt-5.4-mini",
    base: "/v1",
    asksForKey: true,
    reasoning: true,
    thinkingMember: null,
  },
  openrouter: {
    name: "openrouter",
    key: "sk-or-v1-toolbus-test",
    model: "google/gemini-2.5-pro",
    base: "/api/v1",
    asksForKey: true,
    reasoning: false,
    thinkingMember: "reasoning",
  },
  ollama: {
    name: "ollama",
    key: "ollama",
    model: "qwen3:8b",
    base: "",
    asksForKey: false,
    reasoning: false,
    thinkingMember: "reasoning",
  },
  compatible: {
    name: "compatible",
    key: "toolbus-test",
    model: "local-model",
    base: "/v1",
    asksForKey: true,
    reasoning: false,
    thinkingMember: "reasoning_content",
  },
};
