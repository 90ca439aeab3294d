import type { ModelCapabilities } from "../model-provider.ts";
import type { ModelFacts } from "../facts/model-facts.ts";

/** What a model of this family can do: what is known of it, with streams, which all of them have, and tools, which most of them have. */
export function capabilitiesOf(facts: ModelFacts): ModelCapabilities {
  const { vision, tools = true, sampling, contextTokens, maxOutputTokens, resultChars } = facts;
  return { tools, streaming: true, vision, sampling, contextTokens, maxOutputTokens, resultChars };
}
