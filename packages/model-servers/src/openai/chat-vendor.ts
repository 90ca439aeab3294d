import type { Served } from "../model-server.ts";

/** The vendors that speak chat completions here, and their differences. */
export interface ChatVendor {
  readonly name: Exclude<Served, "anthropic" | "bedrock">;
  readonly key: string;
  readonly model: string;
  readonly base: string;
  /** A local server does not check keys. */
  readonly asksForKey: boolean;
  /** A reasoning model: `max_completion_tokens` and no sampling. */
  readonly reasoning: boolean;
  /** The member of a message that contains the model's thinking; null if it is not shown. */
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
