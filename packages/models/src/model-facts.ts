/** What is known of one model: its window, its longest reply and what it costs. */
export interface ModelFacts {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly vision: boolean;
  /** False: the vendor refuses `temperature`. */
  readonly sampling: boolean;
  /** From how many characters on a tool result is put into working memory. */
  readonly resultChars: number;
  /** Millionths of a US dollar for a million tokens, that is US dollars a million tokens times 1,000,000; null when nobody knows. */
  readonly price: ModelPrice | null;
}

export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

const UNKNOWN: ModelFacts = {
  contextTokens: 128_000,
  maxOutputTokens: 8192,
  vision: false,
  sampling: true,
  resultChars: 64_000,
  price: null,
};

/** What the table knows of this model of this provider; careful figures for one that it does not know. */
export function modelFacts(provider: string, model: string): ModelFacts {
  void provider;
  void model;
  return UNKNOWN;
}
