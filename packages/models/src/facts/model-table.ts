/**
 * What is known about the models of today. Prices are those of the vendor's list for plain processing (no batch, no fast mode, the shortest cache), in US
 * dollars per million tokens; individual discounts are not included. Vendors change prices without notice: `MODEL_TABLE_FILE` corrects what is wrong or
 * missing here, without a new version.
 */
export interface ModelRow {
  /** `*`: any provider. */
  readonly provider: string;
  /** The vendor's name, without a date or version at its end; with `*` at its end, every model with this prefix. */
  readonly model: string;
  /** Prompt and reply together. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly vision: boolean;
  /** False: the model refuses a request with tools. Absent: it accepts them. */
  readonly tools?: boolean;
  readonly sampling: boolean;
  /** From how many characters on a tool result goes into working memory. */
  readonly resultChars: number;
  /** Null: unknown. */
  readonly price: DollarPrice | null;
  /** Where the price was read, and when. */
  readonly source: string;
  readonly asOf: string;
  /** What no page of the vendor confirmed. */
  readonly unconfirmed?: readonly ("window" | "price" | "cache")[];
}

/** US dollars for a million tokens. */
export interface DollarPrice {
  readonly input: number;
  readonly output: number;
  /** Tokens that were read from a cache. */
  readonly cacheRead: number;
  /** Tokens that were written to a cache. */
  readonly cacheWrite: number;
  /** For a request whose prompt, including cached tokens, has more than `above` tokens: then all of it has these prices. */
  readonly longPrompt?: {
    readonly above: number;
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

/** In a context smaller than this, a result of 64,000 characters would be most of it. */
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

// The windows come from the model's own page if there is one; the others have the smaller window of every earlier release.
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
  // A new one: its window is at least this, its price is not guessed.
  claude("claude-*", [200_000, 32_000], [0, 0, 0, 0], { price: null, unconfirmed: ["window"] }),
];

const GPT_LIST = { source: "https://developers.openai.com/api/docs/pricing", asOf: "2026-11-21" } as const;
const GPT6: Sizes = [1_050_000, 128_000];
const GPT5: Sizes = [400_000, 128_000];

function gpt(model: string, [contextTokens, maxOutputTokens]: Sizes, prices: Prices, more: Partial<ModelRow> = {}): ModelRow {
  const row = { provider: "openai", model, contextTokens, maxOutputTokens, vision: true, sampling: false, resultChars: RESULT_CHARS };
  return { ...row, price: priceOf(prices), ...GPT_LIST, ...more };
}

/** Above 272,000 tokens of prompt: input and cache twice, output one and a half times. */
function longGpt(model: string, prices: Prices, more: Partial<ModelRow> = {}): ModelRow {
  const [input, output, cacheRead, cacheWrite] = prices;
  const longPrompt = { above: 272_000, ...priceOf([input * 2, output * 1.5, cacheRead * 2, cacheWrite * 2]) };
  return gpt(model, GPT6, prices, { price: { ...priceOf(prices), longPrompt }, ...more });
}

// Vendors that charge nothing extra for cache writes charge them as input.
const CACHE = { unconfirmed: ["cache"] } as const;
// Read in trackers that cite the vendor's list (TheKrush/PromptFuel, merefield/codexometer, the table in github/docs), not on the vendor's page.
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
  // New ones of these families refuse a temperature; their prices are not guessed.
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

// OpenRouter's alias for the newest of a family: its meaning today. Every other model there is found by its maker's name.
const openrouter: readonly ModelRow[] = (["opus", "sonnet", "haiku"] as const).flatMap((family) =>
  anthropic
    .filter(({ model }) => model === `claude-${family}-5-5`)
    .map((row) => ({ ...row, provider: "openrouter", model: `~anthropic/claude-${family}-latest`, unconfirmed: ["price"] as const })),
);

const OURS = { source: "this repository", asOf: "2026-11-21" } as const;
const others: readonly ModelRow[] = [
  // A local server's limit is set there (OLLAMA_CONTEXT_LENGTH), whatever the model could do; a longer prompt is truncated silently.
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
  // Only the operator of the command knows what its subscription or key costs.
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

/** Every row; models of OpenRouter and of Anthropic on Bedrock are found through their vendor's (`modelFacts`). */
export const MODEL_TABLE: readonly ModelRow[] = [...anthropic, ...openai, ...openrouter, ...bedrock, ...others];

function priceOf([input, output, cacheRead, cacheWrite]: Prices): DollarPrice {
  return { input, output, cacheRead, cacheWrite };
}
