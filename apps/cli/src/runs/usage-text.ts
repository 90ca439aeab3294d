import { counted, dollarsOf, type Usage } from "@toolbus/contracts";

/** Returns the usage in words: `3 model calls, 2 tool calls, 4,120 tokens in (3,800 cached), 310 out, $0.0123`. */
export function usageText(usage: Usage): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const cached = classes([
    [cacheReadTokens, "cached"],
    [cacheWriteTokens, "put into the cache"],
  ]);
  const thought = classes([[reasoningTokens, "reasoning"]]);
  return [
    counted(usage.modelCalls, "model call"),
    counted(usage.toolCalls, "tool call"),
    `${counted(inputTokens, "token", count(inputTokens))} in${cached}`,
    `${count(outputTokens)} out${thought}`,
    ...moneyOf(usage),
  ].join(", ");
}

/** Returns the cost in words. Returns an empty list for free models, because users who run a model at home do not ask for its price. */
function moneyOf({ costMicroUsd, unpricedCalls }: Usage): readonly string[] {
  if (unpricedCalls === undefined) return costMicroUsd === undefined ? [] : [dollarsOf(costMicroUsd)];
  const more = `${counted(unpricedCalls, "model call")} of unknown price`;
  return [costMicroUsd === undefined ? more : `${dollarsOf(costMicroUsd)} and ${more}`];
}

function classes(figures: readonly (readonly [tokens: number | undefined, name: string])[]): string {
  const known = figures.flatMap(([tokens, name]) => (tokens === undefined ? [] : [`${count(tokens)} ${name}`]));
  return known.length === 0 ? "" : ` (${known.join(", ")})`;
}

const count = (tokens: number): string => tokens.toLocaleString("en-US");
