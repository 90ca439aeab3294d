/**
 * The facts about one current model. Prices are from the vendor's list for plain processing (no batch, no fast mode, the shortest cache), in US
 * dollars per million tokens. They do not include individual discounts. Vendors change prices without notice, so `MODEL_TABLE_FILE` can correct or
 * add rows without a new version.
 */
export interface ModelRow {
  /** The name of the provider, as in the configuration. */
  readonly provider: string;
  /** The vendor's name for the model, without a date or version at the end. With `*` at the end, it matches every model with this prefix. */
  readonly model: string;
  /** The limit of prompt and reply together. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly vision: boolean;
  /** False if the model refuses a request with tools. True if absent. */
  readonly tools?: boolean;
  readonly sampling: boolean;
  /** The longest tool result, in characters, that is not stored in working memory. */
  readonly resultChars: number;
  /** The price, or null if unknown. */
  readonly price: DollarPrice | null;
  /** The source of the price. `asOf` is the date on which it was read. */
  readonly source: string;
  readonly asOf: string;
  /** The facts that no page of the vendor confirms. */
  readonly unconfirmed?: readonly ("window" | "price" | "cache")[];
}

/** Prices in US dollars per million tokens. */
export interface DollarPrice {
  readonly input: number;
  readonly output: number;
  /** The price of tokens that were read from a cache. */
  readonly cacheRead: number;
  /** The price of tokens that were written to a cache. */
  readonly cacheWrite: number;
  /** The prices of the whole request if its prompt, including cached tokens, has more than `above` tokens. */
  readonly longPrompt?: {
    readonly above: number;
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

/** The limit for a small context. A result of 64,000 characters would fill most of a smaller context. */
export const SMALL_CONTEXT = 65_536;
export const RESULT_CHARS = 64_000;
export const RESULT_CHARS_OF_SMALL = 32_000;

type Sizes = readonly [contextTokens: number, maxOutputTokens: number];
type Prices = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

const M: Sizes = [1_000_000, 128_000];
const CLAUDE = { provider: "anthropic", vision: true, sampling: false, resultChars: RESULT_CHARS } as const;
const CLAUDE_LIST = { source: "https://platform.claude.com/docs/en/about-claude/pricing", asOf: "2026-11-21" } as const;

function claude(model: string, [contextTokens, maxOutputTokens]: Sizes, prices: Prices, more: Partial<ModelRow> = {}): ModelRow {
  return { ...CLAUDE, model, contextTokens, maxOutputTokens, price: priceOf(prices), ...CLAUDE_LIST, ...more };
}

// If a model has its own page at the vendor, its window is from that page. For other models, the table uses the smaller window that all earlier
// releases have.
const SMALLER = { unconfirmed: ["window"] } as const;
const anthropic: readonly ModelRow[] = [
  claude("claude-fable-5-1", M, [10, 50, 0.25, 12.5]),
  claude("claude-fable-5", M, [10, 50, 1, 12.5], SMALLER),
  claude("claude-mythos-5-1", M, [10, 50, 0.25, 12.5], SMALLER),
  claude("claude-mythos-5", M, [10, 50, 1, 12.5], SMALLER),
  claude("claude-opus-5-5", M, [4, 20, 0.2, 5]),
  claude("claude-opus-5", M, [5, 25, 0.5, 6.25]),
  claude("claude-opus-4-8", [200_000, 64_000], [5, 25, 0.5, 6.25], SMALLER),
  claude("claude-opus-4-7", [200_000, 64_000], [5, 25, 0.5, 6.25], SMALLER),
  claude("claude-opus-4-6", [200_000, 64_000], [5, 25, 0.5, 6.25], SMALLER),
  claude("claude-opus-4-5", [200_000, 64_000], [5, 25, 0.5, 6.25]),
  claude("claude-opus-4-1", [200_000, 32_000], [15, 75, 1.5, 18.75]),
  claude("claude-sonnet-5-5", M, [2, 10, 0.1, 2.5]),
  claude("claude-sonnet-5", M, [2, 10, 0.2, 2.5]),
  claude("claude-sonnet-4-6", [200_000, 64_000], [3, 15, 0.3, 3.75], SMALLER),
  claude("claude-sonnet-4-5", [200_000, 64_000], [3, 15, 0.3, 3.75]),
  claude("claude-haiku-5-5", M, [0.1, 0.5, 0.01, 0.125], {
    price: { ...priceOf([0.1, 0.5, 0.01, 0.125]), longPrompt: { above: 100_000, ...priceOf([0.5, 2.5, 0.05, 0.625]) } },
  }),
  claude("claude-haiku-4-5", [200_000, 64_000], [1, 5, 0.1, 1.25]),
  // A new model has at least the window in this row. Its price is unknown, so the row has no price.
  claude("claude-*", [200_000, 32_000], [0, 0, 0, 0], { price: null, unconfirmed: ["window"] }),
];

const GPT_LIST = { source: "https://developers.openai.com/api/docs/pricing", asOf: "2026-11-21" } as const;
const GPT6: Sizes = [1_050_000, 128_000];
const GPT5: Sizes = [400_000, 128_000];

function gpt(model: string, [contextTokens, maxOutputTokens]: Sizes, prices: Prices, more: Partial<ModelRow> = {}): ModelRow {
  const row = { provider: "openai", model, contextTokens, maxOutputTokens, vision: true, sampling: false, resultChars: RESULT_CHARS };
  return { ...row, price: priceOf(prices), ...GPT_LIST, ...more };
}

/**
 * Returns a row with a second price for prompts above 272,000 tokens. Input and cache cost twice as much, and output costs one and a half times as
 * much.
 */
function longGpt(model: string, prices: Prices, more: Partial<ModelRow> = {}): ModelRow {
  const [input, output, cacheRead, cacheWrite] = prices;
  const longPrompt = { above: 272_000, ...priceOf([input * 2, output * 1.5, cacheRead * 2, cacheWrite * 2]) };
  return gpt(model, GPT6, prices, { price: { ...priceOf(prices), longPrompt }, ...more });
}

// Vendors without a price for cache writes charge them as input.
const CACHE = { unconfirmed: ["cache"] } as const;
// These prices are not from the vendor's page. They are from trackers that cite the vendor's list (TheKrush/PromptFuel, merefield/codexometer, the
// table in github/docs).
const BY_REPORT = {
  source: "reported, citing https://developers.openai.com/api/docs/pricing",
  unconfirmed: ["window", "price", "cache"],
} as const;
const openai: readonly ModelRow[] = [
  longGpt("gpt-6.2-sol", [2, 10, 0.1, 2.5]),
  longGpt("gpt-6.1-sol", [2, 10, 0.1, 2.5], BY_REPORT),
  longGpt("gpt-6.1-terra", [1, 5, 0.05, 1.25], BY_REPORT),
  longGpt("gpt-6-astra", [10, 50, 1, 12.5]),
  longGpt("gpt-6-sol", [2, 10, 0.2, 2.5], BY_REPORT),
  longGpt("gpt-6-luna", [0.1, 0.5, 0.01, 0.125], BY_REPORT),
  longGpt("gpt-5.6-sol", [4, 20, 0.4, 5], BY_REPORT),
  longGpt("gpt-5.6-terra", [2, 12, 0.2, 2.5], BY_REPORT),
  longGpt("gpt-5.6-luna", [0.2, 1.2, 0.02, 0.25], BY_REPORT),
  gpt("gpt-5.5", GPT5, [5, 30, 0.5, 5], BY_REPORT),
  gpt("gpt-5.4", GPT5, [2.5, 15, 0.25, 2.5], BY_REPORT),
  gpt("gpt-5.4-mini", GPT5, [0.75, 4.5, 0.075, 0.75], BY_REPORT),
  gpt("gpt-5.2", GPT5, [1.75, 14, 0.175, 1.75], BY_REPORT),
  gpt("gpt-5.1", GPT5, [1.25, 10, 0.125, 1.25], BY_REPORT),
  gpt("gpt-5", GPT5, [1.25, 10, 0.125, 1.25], CACHE),
  gpt("gpt-5-mini", GPT5, [0.25, 2, 0.025, 0.25], CACHE),
  gpt("gpt-5-nano", GPT5, [0.05, 0.4, 0.005, 0.05], CACHE),
  gpt("gpt-4.1", [1_047_576, 32_768], [2, 8, 0.5, 2], { ...CACHE, sampling: true }),
  gpt("gpt-4.1-mini", [1_047_576, 32_768], [0.4, 1.6, 0.1, 0.4], { ...CACHE, sampling: true }),
  gpt("gpt-4.1-nano", [1_047_576, 32_768], [0.1, 0.4, 0.025, 0.1], { ...CACHE, sampling: true }),
  gpt("gpt-4o", [128_000, 16_384], [2.5, 10, 1.25, 2.5], { ...CACHE, sampling: true }),
  gpt("gpt-4o-mini", [128_000, 16_384], [0.15, 0.6, 0.075, 0.15], { ...CACHE, sampling: true }),
  gpt("o3", [200_000, 100_000], [2, 8, 0.5, 2], CACHE),
  gpt("o4-mini", [200_000, 100_000], [1.1, 4.4, 0.275, 1.1], { ...CACHE, unconfirmed: ["price", "cache"] }),
  // New models of these families refuse a temperature. Their prices are unknown, so these rows have none.
  gpt("gpt-5*", [128_000, 16_384], [0, 0, 0, 0], { price: null, ...BY_REPORT }),
  gpt("gpt-6*", [400_000, 32_768], [0, 0, 0, 0], { price: null, ...BY_REPORT }),
];

const NOVA_LIST = { source: "https://aws.amazon.com/bedrock/pricing/ (us-east-1, on demand)", asOf: "2026-09-01" } as const;

function nova(model: string, contextTokens: number, input: number, output: number, vision: boolean): ModelRow {
  const row = { provider: "bedrock", model: `amazon.${model}`, contextTokens, maxOutputTokens: 5000, vision, sampling: true };
  const price = priceOf([input, output, input / 4, input]);
  return { ...row, resultChars: RESULT_CHARS, price, ...NOVA_LIST, unconfirmed: ["window", "cache"] };
}

const bedrock: readonly ModelRow[] = [
  nova("nova-micro", 128_000, 0.035, 0.14, false),
  nova("nova-lite", 300_000, 0.06, 0.24, true),
  nova("nova-pro", 300_000, 0.8, 3.2, true),
  nova("nova-premier", 1_000_000, 2.5, 12.5, true),
];

// Each row is OpenRouter's alias for the newest model of a family, with its current meaning. `modelFacts` finds every other model of OpenRouter
// through its maker's name.
const openrouter: readonly ModelRow[] = (["opus", "sonnet", "haiku"] as const).flatMap((family) =>
  anthropic
    .filter(({ model }) => model === `claude-${family}-5-5`)
    .map((row) => ({ ...row, provider: "openrouter", model: `~anthropic/claude-${family}-latest`, unconfirmed: ["price"] as const })),
);

const OURS = { source: "this repository", asOf: "2026-11-21" } as const;
const others: readonly ModelRow[] = [
  // OLLAMA_CONTEXT_LENGTH sets the limit of a local server, even if the model accepts more. The server silently truncates a longer prompt.
  {
    provider: "ollama",
    model: "*",
    contextTokens: 32_768,
    maxOutputTokens: 8192,
    vision: false,
    sampling: true,
    resultChars: RESULT_CHARS_OF_SMALL,
    price: priceOf([0, 0, 0, 0]),
    ...OURS,
    unconfirmed: ["window"],
  },
  // Only the operator of the command knows the price of its subscription or key.
  {
    provider: "cli",
    model: "*",
    contextTokens: 128_000,
    maxOutputTokens: 8192,
    vision: false,
    sampling: false,
    resultChars: RESULT_CHARS,
    price: null,
    ...OURS,
    unconfirmed: ["window"],
  },
  {
    provider: "offline",
    model: "*",
    contextTokens: 200_000,
    maxOutputTokens: 65_536,
    vision: false,
    sampling: false,
    resultChars: RESULT_CHARS,
    price: priceOf([0, 0, 0, 0]),
    ...OURS,
  },
];

/** Every row of the table. `modelFacts` finds models of OpenRouter, and of Anthropic on Bedrock, through the rows of their vendor. */
export const MODEL_TABLE: readonly ModelRow[] = [...anthropic, ...openai, ...openrouter, ...bedrock, ...others];

function priceOf([input, output, cacheRead, cacheWrite]: Prices): DollarPrice {
  return { input, output, cacheRead, cacheWrite };
}
