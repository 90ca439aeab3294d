import type { ModelCapabilities } from "../model-provider.ts";
import type { ModelFacts } from "../facts/model-facts.ts";

/** What a model of this family can do: what is known of it, with tools and streams, which all of them have. */
export function capabilitiesOf({ vision, sampling, contextTokens, maxOutputTokens, resultChars }: ModelFacts): ModelCapabilities {
  return { tools: true, streaming: true, vision, sampling, contextTokens, maxOutputTokens, resultChars };
}
