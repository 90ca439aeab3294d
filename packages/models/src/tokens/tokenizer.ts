/** Returns the number of tokens in a short text. */
export type CountTokens = (text: string) => number;

/**
 * The counter in use. `generation` changes with the counter, because counts of different counters cannot be compared. Until `loadTokenizer` resolves,
 * the count is the number of bytes divided by 3.6. Compared with o200k, this count is up to half too high for English prose and about right for code,
 * JSON and Chinese. It is less than half for long hexadecimal numbers.
 */
export interface Tokenizer {
  readonly count: CountTokens;
  readonly generation: number;
}

const BYTES_A_TOKEN = 3.6;

let current: Tokenizer = { count: (text) => Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN), generation: 0 };
let loading: Promise<void> | undefined;

export function tokenizer(): Tokenizer {
  return current;
}

/**
 * Loads the tokenizer once per process (o200k, 65 MB of memory, 0.2 s). The code that connects a vendor's model awaits this function, so that a
 * process has only one kind of estimate. The offline model does not need the tokenizer. Estimates without the tokenizer are less exact.
 */
export function loadTokenizer(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // A text that looks like a control token of the vocabulary is counted as text, because its author must not be able to break a count.
  const asText = { disallowedSpecial: new Set<string>() };
  current = { count: (text) => countTokens(text, asText), generation: current.generation + 1 };
}
