import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { costOf, modelFacts, mostCost } from "./model-facts.ts";
import { MODEL_TABLE, RESULT_CHARS_OF_SMALL } from "./model-table.ts";
import { ModelTableRefused, ownModelRows, readModelTable } from "./own-model-table.ts";

const sonnet = modelFacts("anthropic", "claude-sonnet-5-5");

describe("the table of models", () => {
  it("has every row once, with a source and a date", () => {
    const names = MODEL_TABLE.map(({ provider, model }) => `${provider} ${model}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { source, asOf } of MODEL_TABLE) expect([source !== "", /^2026-\d\d-\d\d$/.test(asOf)]).toEqual([true, true]);
  });

  it("has no price below zero, and no reply longer than its window", () => {
    for (const { price, contextTokens, maxOutputTokens } of MODEL_TABLE) {
      expect(maxOutputTokens).toBeLessThan(contextTokens);
      for (const figure of Object.values(price ?? {})) if (typeof figure === "number") expect(figure).toBeGreaterThanOrEqual(0);
    }
  });

  it.each([
    ["anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
    ["anthropic", "claude-opus-4-5@20251101", "claude-opus-4-5"],
    ["anthropic", "claude-haiku-5-5-latest", "claude-haiku-5-5"],
    ["openai", "gpt-5-2025-08-07", "gpt-5"],
    ["openai", "gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"],
  ])("knows %s %s by the name without its edition", (provider, model, stem) => {
    expect(modelFacts(provider, model)).toEqual(modelFacts(provider, stem));
    expect(modelFacts(provider, model).price).not.toBeNull();
  });

  it.each(["gpt-5-pro", "gpt-5.9", "gpt-6-colossus", "gpt-4o-audio", "o3-pro"])(
    "does not mistake %s for the cheaper model that it is named after",
    (model) => {
      expect(modelFacts("openai", model).price).toBeNull();
    },
  );

  it("knows that a new one of a family accepts no temperature, but not what it costs", () => {
    expect(modelFacts("anthropic", "claude-opus-7")).toMatchObject({ sampling: false, vision: true, price: null });
    expect(modelFacts("openai", "gpt-6.4-sol")).toMatchObject({ sampling: false, price: null });
  });

  it("finds a model of OpenRouter through its maker, and one of its variants without a price", () => {
    expect(modelFacts("openrouter", "anthropic/claude-sonnet-5.5")).toEqual(sonnet);
    expect(modelFacts("openrouter", "openai/gpt-6.2-sol")).toEqual(modelFacts("openai", "gpt-6.2-sol"));
    expect(modelFacts("openrouter", "anthropic/claude-sonnet-5.5:nitro")).toEqual({ ...sonnet, price: null });
    expect(modelFacts("openrouter", "openai/gpt-5:free").price).toMatchObject({ input: 0, output: 0 });
    expect(modelFacts("openrouter", "~anthropic/claude-sonnet-latest")).toEqual(sonnet);
    expect(modelFacts("openrouter", "somebody/something").price).toBeNull();
  });

  it("finds a model of Bedrock under any region, version or ARN, a tenth more expensive if it is not the global one", () => {
    expect(modelFacts("bedrock", "global.anthropic.claude-sonnet-5-5")).toEqual(sonnet);
    for (const id of [
      "us.anthropic.claude-sonnet-5-5",
      "eu.anthropic.claude-sonnet-5-5-20260929-v1:0",
      "anthropic.claude-sonnet-5-5",
      "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-5-5",
    ])
      expect(modelFacts("bedrock", id).price).toMatchObject({ input: 2_200_000, output: 11_000_000, cacheRead: 110_000 });
    expect(modelFacts("bedrock", "us.amazon.nova-pro-v1:0").price).toMatchObject({ input: 800_000, output: 3_200_000 });
    expect(modelFacts("bedrock", "meta.llama9-v1:0").price).toBeNull();
  });

  it("gives a model 64,000 characters of one result, 32,000 if its window is small, or the table's own value", () => {
    const own = ownModelRows(JSON.stringify({ models: [{ provider: "openai", model: "gpt-5", resultChars: 12_000 }] }), "models.json");
    expect(["claude-sonnet-5-5", "nobody-knows"].map((model) => modelFacts("anthropic", model).resultChars)).toEqual([64_000, 64_000]);
    expect(modelFacts("ollama", "qwen3:8b").resultChars).toBe(32_000);
    expect(modelFacts("openai", "gpt-5", own).resultChars).toBe(12_000);
  });

  it("charges nothing for local models, and does not guess what a command costs", () => {
    expect(modelFacts("ollama", "qwen3:8b")).toMatchObject({ price: { input: 0, output: 0 }, resultChars: RESULT_CHARS_OF_SMALL });
    expect(modelFacts("offline", "rules-1").price).toMatchObject({ input: 0 });
    expect(modelFacts("cli", "command").price).toBeNull();
    expect(modelFacts("compatible", "toString").price).toBeNull();
  });
});

describe("the cost of a call", () => {
  it("is each class of tokens at its own price, rounded up to a millionth of a dollar", () => {
    const usage = { inputTokens: 1000, outputTokens: 10, cacheReadTokens: 600, cacheWriteTokens: 300 };
    // The cost is 100 tokens at $2, 600 at $0.10, 300 at $2.50 and 10 at $10.
    expect(costOf(usage, sonnet)).toBe(200 + 60 + 750 + 100);
    expect(costOf({ inputTokens: 1, outputTokens: 0, cacheReadTokens: 1 }, sonnet)).toBe(1);
    expect(costOf({ inputTokens: 0, outputTokens: 0 }, sonnet)).toBe(0);
  });

  it("is the vendor's figure, if it reports one", () => {
    expect(costOf({ inputTokens: 1000, outputTokens: 10, costMicroUsd: 12.2 }, sonnet)).toBe(13);
    expect(costOf({ inputTokens: 1000, outputTokens: 10, costMicroUsd: 12 }, { price: null })).toBe(12);
  });

  it("is unknown without a price, which is not the same as zero", () => {
    expect(costOf({ inputTokens: 1000, outputTokens: 10 }, { price: null })).toBeNull();
    expect(mostCost(1000, 10, { price: null })).toBeNull();
  });

  it("of a long prompt is at the price of long prompts, all of it", () => {
    const haiku = modelFacts("anthropic", "claude-haiku-5-5");
    expect(costOf({ inputTokens: 100_000, outputTokens: 1000 }, haiku)).toBe(10_000 + 500);
    expect(costOf({ inputTokens: 100_001, outputTokens: 1000 }, haiku)).toBe(50_001 + 2500);
  });

  it("is never more than was estimated for its prompt and its longest reply", () => {
    for (const { provider, model } of MODEL_TABLE) {
      const facts = modelFacts(provider, model.replace("*", "any"));
      for (const [inputTokens, cacheWriteTokens] of [
        [1, 1],
        [99_999, 0],
        [272_001, 272_001],
        [500_000, 100],
      ] as const) {
        const usage = { inputTokens, outputTokens: 777, cacheWriteTokens };
        expect(costOf(usage, facts) ?? 0).toBeLessThanOrEqual(mostCost(inputTokens, 777, facts) ?? 0);
      }
    }
  });
});

describe("the operator's table of models", () => {
  const rows = (models: unknown): ReturnType<typeof ownModelRows> => ownModelRows(JSON.stringify({ models }), "models.json");

  it("adds models and replaces known ones, and omitted values stay unchanged", () => {
    const own = rows([
      { provider: "compatible", model: "llama*", contextTokens: 16_384, price: { input: 0.5, output: 1 } },
      { provider: "anthropic", model: "claude-sonnet-5-5", price: { input: 1.5, output: 8, cacheRead: 0.1, cacheWrite: 2 } },
      { provider: "openrouter", model: "anthropic/claude-opus-5.5", price: null },
    ]);
    expect(modelFacts("compatible", "llama-9-70b", own)).toMatchObject({
      contextTokens: 16_384,
      resultChars: RESULT_CHARS_OF_SMALL,
      price: { input: 500_000, output: 1_000_000, cacheRead: 500_000, cacheWrite: 500_000 },
    });
    expect(modelFacts("anthropic", "claude-sonnet-5-5", own)).toMatchObject({ contextTokens: 1_000_000, price: { input: 1_500_000 } });
    expect(modelFacts("bedrock", "global.anthropic.claude-sonnet-5-5", own).price).toMatchObject({ input: 1_500_000 });
    expect(modelFacts("openrouter", "anthropic/claude-opus-5.5", own).price).toBeNull();
    expect(modelFacts("anthropic", "claude-opus-5-5", own)).toEqual(modelFacts("anthropic", "claude-opus-5-5"));
  });

  it.each([
    [[], "must contain"],
    [{ models: 1 }, 'must contain "models"'],
    [{ models: [{ model: "m" }] }, "models[0].provider must be the name of a provider"],
    [{ models: [{ provider: "p", model: "" }] }, "models[0].model must be the name of a model"],
    [{ models: [{ provider: "p", model: "m", price: 3 }] }, "models[0].price must be an object"],
    [{ models: [{ provider: "p", model: "m", price: { input: 1 } }] }, "models[0].price.output must be US dollars for a million tokens"],
    [{ models: [{ provider: "p", model: "m", price: { input: -1, output: 1 } }] }, "models[0].price.input must be US dollars"],
    [{ models: [{ provider: "p", model: "m", contextTokens: 1.5 }] }, "models[0].contextTokens must be a whole number"],
    [{ models: [{ provider: "p", model: "m", costs: 1 }] }, 'models[0] has "costs", which is unknown'],
    [
      {
        models: [
          { provider: "p", model: "m" },
          { provider: "p", model: "m" },
        ],
      },
      "models[1] is the second row of p m",
    ],
    [
      { models: [{ provider: "p", model: "m", price: { input: 1, output: 1, longPrompt: { input: 1, output: 1 } } }] },
      "models[0].price.longPrompt.above must be a whole number",
    ],
  ])("that is wrong, %j, is refused in one sentence that names the place", (table, sentence) => {
    expect(() => ownModelRows(JSON.stringify(table), "models.json")).toThrow(ModelTableRefused);
    expect(() => ownModelRows(JSON.stringify(table), "models.json")).toThrow(
      `The model table models.json (MODEL_TABLE_FILE) cannot be used: `,
    );
    expect(() => ownModelRows(JSON.stringify(table), "models.json")).toThrow(sentence);
  });

  it("is read from a file, and is empty without a file", async () => {
    const dir = mkdtempSync(path.join(tmpdir(), "toolbus-models-"));
    try {
      const file = path.join(dir, "models.json");
      writeFileSync(file, '{"models": [{"provider": "cli", "model": "*", "price": {"input": 0, "output": 0}}]}');
      expect(modelFacts("cli", "command", await readModelTable(file)).price).toMatchObject({ input: 0 });
      expect(await readModelTable("")).toEqual([]);
      await expect(readModelTable(path.join(dir, "none.json"))).rejects.toThrow("cannot be read (ENOENT)");
      writeFileSync(file, "{");
      await expect(readModelTable(file)).rejects.toThrow("is not JSON");
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
