import type { ModelUsage } from "../model-provider.ts";
import type { ChatUsage } from "./chat-chunk.ts";
import { counted } from "./counted.ts";

const MICRO_USD = 1_000_000;

/** Returns the vendor's counts, or null if the vendor reported none. */
export function chatUsage(usage: ChatUsage | null): ModelUsage | null {
  if (usage === null || typeof usage.prompt_tokens !== "number" || typeof usage.completion_tokens !== "number") return null;
  const { prompt_tokens_details: prompt, completion_tokens_details: completion, cost } = usage;
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    ...counted("cacheReadTokens", prompt?.cached_tokens),
    ...counted("cacheWriteTokens", prompt?.cache_write_tokens),
    ...counted("reasoningTokens", completion?.reasoning_tokens),
    ...counted("costMicroUsd", typeof cost === "number" ? Math.round(cost * MICRO_USD) : null),
  };
}
