import type { ModelUsage } from "../model-provider.ts";
import { type DollarPrice, MODEL_TABLE, type ModelRow } from "./model-table.ts";

/** The known facts about one model, such as its window, its longest reply and its price. */
export interface ModelFacts {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly vision: boolean;
  /** False if the model refuses a request with tools, so that no tools are offered. True if absent. */
  readonly tools?: boolean;
  /** False if the vendor refuses `temperature`. */
  readonly sampling: boolean;
  /** The longest tool result, in characters, that is not stored in working memory. */
  readonly resultChars: number;
  /** The price in millionths of a US dollar per million tokens, or null if unknown. */
  readonly price: ModelPrice | null;
}

export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The prices of the whole request if its prompt, including cached tokens, has more than `above` tokens. */
  readonly longPrompt?: Omit<ModelPrice, "longPrompt"> & { readonly above: number };
}

/** Returns the known facts about a model, by the configuration's names for the provider and the model. */
export type FactsOf = (provider: string, model: string) => ModelFacts;

const UNKNOWN: ModelFacts = {
  contextTokens: 128_000,
  maxOutputTokens: 8192,
  vision: false,
  sampling: true,
  resultChars: 64_000,
  price: null,
};

// A date, a version or "latest" that vendors append to a stable name, such as -20251101, -2026-10-07, @20251101, -v1:0 or -latest.
const EDITION = /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest))?(?:-?v\d+(?::\d+)?)?(?::\d+[a-z]?)?$/;
const REGION = /^(?:global|us-gov|[a-z]{2,4})\.(?=[a-z0-9]+\.)/;
/** Regional endpoints of Bedrock cost a tenth more than the global one (Anthropic's price list, "Third-party platform pricing"). */
const REGIONAL = 1.1;

/**
 * Returns the facts of the table about this model of this provider, or cautious figures without a price for an unknown model. It searches by the
 * exact name, then by the name without its date or version, then by the longest matching prefix of a row with `*`. The rows of `own` take precedence.
 * A name that only begins like another name belongs to another model, because `gpt-5-pro` and `gpt-5` have different prices.
 */
export function modelFacts(provider: string, model: string, own: readonly ModelRow[] = []): ModelFacts {
  for (const rows of own.length > 0 ? [own, MODEL_TABLE] : [MODEL_TABLE]) {
    const row = rowOf(rows, provider, model);
    if (row) return factsOf(row);
    const elsewhere = throughVendor(rows, provider, model);
    if (elsewhere) return elsewhere;
  }
  return UNKNOWN;
}

/**
 * Returns the cost of a call in millionths of a US dollar, rounded up, or null if it is unknown. The vendor's own figure takes precedence over the
 * table.
 */
export function costOf(usage: ModelUsage, { price }: Pick<ModelFacts, "price">): number | null {
  if (usage.costMicroUsd !== undefined) return Math.max(0, Math.ceil(usage.costMicroUsd));
  if (!price) return null;
  const { inputTokens, outputTokens, cacheReadTokens: read = 0, cacheWriteTokens: write = 0 } = usage;
  const { longPrompt } = price;
  const each = longPrompt && inputTokens > longPrompt.above ? longPrompt : price;
  const fresh = Math.max(0, inputTokens - read - write);
  const millionths = fresh * each.input + read * each.cacheRead + write * each.cacheWrite + outputTokens * each.output;
  return Math.ceil(millionths / 1_000_000);
}

/**
 * Returns the maximum cost of a call with this prompt and a reply of this length. The unit is a millionth of a US dollar. Returns null if the price
 * is unknown.
 */
export function mostCost(promptTokens: number, maxTokens: number, { price }: Pick<ModelFacts, "price">): number | null {
  if (!price) return null;
  const tiers = price.longPrompt && promptTokens > price.longPrompt.above ? [price, price.longPrompt] : [price];
  return Math.ceil(
    Math.max(...tiers.map((each) => promptTokens * Math.max(each.input, each.cacheWrite) + maxTokens * each.output)) / 1_000_000,
  );
}

function rowOf(rows: readonly ModelRow[], provider: string, model: string): ModelRow | undefined {
  const its = rows.filter((row) => row.provider === provider);
  const stem = model.replace(EDITION, "");
  return (
    its.find((row) => row.model === model) ??
    its.find((row) => row.model === stem) ??
    its
      .filter((row) => row.model.endsWith("*") && model.startsWith(row.model.slice(0, -1)))
      .toSorted((a, b) => b.model.length - a.model.length)[0]
  );
}

/** Returns the facts of a model that another company serves. It searches by the name that the model's maker uses. */
function throughVendor(rows: readonly ModelRow[], provider: string, model: string): ModelFacts | undefined {
  if (provider === "openrouter") {
    const [, vendor = "", name = "", variant] = /^([a-z0-9-]+)\/([^:]+)(?::(.+))?$/.exec(model) ?? [];
    // OpenRouter writes "claude-opus-5.5", but Anthropic writes "claude-opus-5-5".
    const row = rowOf(rows, vendor, vendor === "anthropic" ? name.replaceAll(/(\d)\.(\d)/g, "$1-$2") : name);
    if (!row) return undefined;
    // Other companies serve a variant (":nitro", ":batch") at other prices, which OpenRouter reports with each reply.
    return variant === undefined ? factsOf(row) : { ...factsOf(row), price: variant === "free" ? FREE : null };
  }
  if (provider !== "bedrock") return undefined;
  const id = model.slice(model.lastIndexOf("/") + 1);
  const name = id.replace(REGION, "");
  const own = rowOf(rows, provider, name);
  if (own) return factsOf(own);
  const row = name.startsWith("anthropic.") ? rowOf(rows, "anthropic", name.slice("anthropic.".length)) : undefined;
  return row && factsOf(row, id.startsWith("global.") ? 1 : REGIONAL);
}

const FREE: ModelPrice = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function factsOf({ contextTokens, maxOutputTokens, vision, tools, sampling, resultChars, price }: ModelRow, times = 1): ModelFacts {
  const facts = { contextTokens, maxOutputTokens, vision, sampling, resultChars, price: price && microPrice(price, times) };
  return tools === undefined ? facts : { ...facts, tools };
}

function microPrice({ input, output, cacheRead, cacheWrite, longPrompt }: DollarPrice, times: number): ModelPrice {
  const micro = (dollars: number): number => Math.round(dollars * times * 1_000_000);
  return {
    input: micro(input),
    output: micro(output),
    cacheRead: micro(cacheRead),
    cacheWrite: micro(cacheWrite),
    ...(longPrompt ? { longPrompt: { above: longPrompt.above, ...microPrice(longPrompt, times) } } : {}),
  };
}
