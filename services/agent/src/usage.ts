import type { Usage } from "@toolbus/contracts";
import { costOf, type FactsOf, type ModelFacts, type ModelProvider, type ModelReply, type ModelUsage } from "@toolbus/models";

export const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 };

/** Returns the usage of one model call, with its cost if the price is known. */
export function usageOfCall(usage: ModelUsage, facts: Pick<ModelFacts, "price">): Usage {
  const cost = costOf(usage, facts);
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  return {
    inputTokens,
    outputTokens,
    modelCalls: 1,
    toolCalls: 0,
    ...optional({ cacheReadTokens, cacheWriteTokens, reasoningTokens, costMicroUsd: cost ?? 0, unpricedCalls: cost === null ? 1 : 0 }),
  };
}

/**
 * Returns the usage of the call that gave this reply. The price is that of the requested model. If that model has no price, the price of the model
 * that answered applies, because a router may choose among models.
 */
export function usageOfReply(
  { usage, model: answered }: Pick<ModelReply, "usage" | "model">,
  { name, model }: Pick<ModelProvider, "name" | "model">,
  factsOf: FactsOf,
): Usage {
  const facts = factsOf(name, model);
  return usageOfCall(usage, facts.price ? facts : factsOf(name, answered));
}

/** Returns the sum of two usages. Leaves out a figure that neither has, so that an absent figure never looks like a counted zero. */
export function addUsage(a: Usage, b: Partial<Usage>): Usage {
  const sum = (name: keyof Usage): number => (a[name] ?? 0) + (b[name] ?? 0);
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    modelCalls: sum("modelCalls"),
    toolCalls: sum("toolCalls"),
    ...optional({
      cacheReadTokens: sum("cacheReadTokens"),
      cacheWriteTokens: sum("cacheWriteTokens"),
      reasoningTokens: sum("reasoningTokens"),
      costMicroUsd: sum("costMicroUsd"),
      unpricedCalls: sum("unpricedCalls"),
    }),
  };
}

type Optional = Omit<Usage, "inputTokens" | "outputTokens" | "modelCalls" | "toolCalls">;

function optional(figures: Required<Optional>): Optional {
  return Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure > 0));
}
