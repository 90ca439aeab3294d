/** How many tokens a short text is. */
export type CountTokens = (text: string) => number;

/**
 * The counter in use, and a number that changes with every change of it: counts of different counters cannot be compared. Before `loadTokenizer`
 * has been awaited, the count is the bytes of the text divided by 3.6. Compared with o200k that is up to half too many for English prose, about
 * right for code, JSON and Chinese, and less than half for long hexadecimal numbers.
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
 * Loads the tokenizer (o200k; 65 MB of memory, 0.2 s), once per process. The code that connects a vendor's model awaits it, so that all estimates of
 * a process are of one kind; the offline model does not need it. Estimates work without it, but are less exact.
 */
export function loadTokenizer(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Text that looks like one of the vocabulary's control tokens counts as text: its author must not be able to break a count.
  const asText = { disallowedSpecial: new Set<string>() };
  current = { count: (text) => countTokens(text, asText), generation: current.generation + 1 };
}
