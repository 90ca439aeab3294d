import type { ModelCapabilities } from "../model-provider.ts";
import type { ModelFacts } from "../facts/model-facts.ts";

/** The capabilities of a model of this family: the known facts, plus streams, which all have, and tools, which most have. */
export function capabilitiesOf(facts: ModelFacts): ModelCapabilities {
  const { vision, tools = true, sampling, contextTokens, maxOutputTokens, resultChars } = facts;
  return { tools, streaming: true, vision, sampling, contextTokens, maxOutputTokens, resultChars };
}
