import type { ModelCapabilities } from "../model-provider.ts";
import type { ModelFacts } from "../facts/model-facts.ts";

/** Returns the capabilities of a model of this family from the known facts. Every model streams its answer, and most models support tools. */
export function capabilitiesOf(facts: ModelFacts): ModelCapabilities {
  const { vision, tools = true, sampling, contextTokens, maxOutputTokens, resultChars } = facts;
  return { tools, streaming: true, vision, sampling, contextTokens, maxOutputTokens, resultChars };
}
