import { modelFacts } from "@toolbus/models";
import { describe, expect, it } from "vitest";
import { addUsage, NOTHING_USED, usageOfCall } from "./usage.ts";

const priced = modelFacts("anthropic", "claude-sonnet-5-5");

describe("the usage of a call", () => {
  it("is its tokens by class and their cost", () => {
    const usage = { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 900, cacheWriteTokens: 0, reasoningTokens: 30 };
    expect(usageOfCall(usage, priced)).toEqual({
      inputTokens: 1000,
      outputTokens: 50,
      modelCalls: 1,
      toolCalls: 0,
      cacheReadTokens: 900,
      reasoningTokens: 30,
      costMicroUsd: 200 + 90 + 500,
    });
  });

  it("records a call of unknown price as unpriced, not as free", () => {
    expect(usageOfCall({ inputTokens: 1, outputTokens: 1 }, { price: null })).toEqual({
      inputTokens: 1,
      outputTokens: 1,
      modelCalls: 1,
      toolCalls: 0,
      unpricedCalls: 1,
    });
  });
});

describe("usage added up", () => {
  it("is the sum of each figure, absent where neither has one", () => {
    const a = { ...NOTHING_USED, inputTokens: 5, cacheReadTokens: 3, costMicroUsd: 7 };
    const b = { ...NOTHING_USED, outputTokens: 2, costMicroUsd: 4, unpricedCalls: 1 };
    expect(addUsage(a, b)).toEqual({
      ...NOTHING_USED,
      inputTokens: 5,
      outputTokens: 2,
      cacheReadTokens: 3,
      costMicroUsd: 11,
      unpricedCalls: 1,
    });
    expect(addUsage(NOTHING_USED, NOTHING_USED)).toEqual(NOTHING_USED);
  });

  it("does not depend on the order", () => {
    const all = [1, 2, 3].map((n) =>
      usageOfCall({ inputTokens: n, outputTokens: n * 2, reasoningTokens: n - 1 }, n === 2 ? { price: null } : priced),
    );
    const forth = all.reduce(addUsage, NOTHING_USED);
    expect(all.toReversed().reduce(addUsage, NOTHING_USED)).toEqual(forth);
    expect(forth).toMatchObject({ modelCalls: 3, unpricedCalls: 1, reasoningTokens: 3 });
  });
});
