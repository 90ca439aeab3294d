/** How many tokens a short text is. */
export type CountTokens = (text: string) => number;

/**
 * The counter in use, and a number that is another one after every change of it: what was counted by an earlier one is no longer comparable.
 * Before `loadTokenizer` has been awaited it is the bytes of the text divided by 3.6: against o200k up to half too many for English prose, about right
 * for code, JSON and Chinese, less than half for long hexadecimal numbers.
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
 * Loads the tokenizer (o200k; 65 MB of memory, 0.2 s), once a process. Whoever connects a model of a vendor awaits it, so that the
 * estimates of one process are of one kind; the offline model needs none. Estimates work without it, and are rougher.
 */
export function loadTokenizer(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // A text that looks like one of the vocabulary's control tokens is text: whoever wrote it must not be able to break a count.
  const asText = { disallowedSpecial: new Set<string>() };
  current = { count: (text) => countTokens(text, asText), generation: current.generation + 1 };
}
