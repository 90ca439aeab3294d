import { describe, expect, it } from "vitest";
import { usageText } from "./usage-text.ts";

const usage = { inputTokens: 4120, outputTokens: 310, modelCalls: 3, toolCalls: 2 };

describe("usage as text", () => {
  it("has calls and tokens, and no cost for free models", () => {
    expect(usageText(usage)).toBe("3 model calls, 2 tool calls, 4,120 tokens in, 310 out");
  });

  it("uses the singular for one", () => {
    expect(usageText({ inputTokens: 1, outputTokens: 1, modelCalls: 1, toolCalls: 1 })).toBe(
      "1 model call, 1 tool call, 1 token in, 1 out",
    );
  });

  it("has the token classes and the cost, if they are known", () => {
    const more = { cacheReadTokens: 3800, cacheWriteTokens: 100, reasoningTokens: 200, costMicroUsd: 12_345 };
    expect(usageText({ ...usage, ...more })).toBe(
      "3 model calls, 2 tool calls, 4,120 tokens in (3,800 cached, 100 put into the cache), 310 out (200 reasoning), $0.012345",
    );
  });

  it("says that a price is unknown instead of showing zero", () => {
    expect(usageText({ ...usage, unpricedCalls: 1 })).toContain("310 out, 1 model call of unknown price");
    expect(usageText({ ...usage, unpricedCalls: 2, costMicroUsd: 500_000 })).toContain("$0.50 and 2 model calls of unknown price");
  });
});
