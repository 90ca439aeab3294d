import type { TranscriptEntry } from "@toolbus/contracts";

const CHARS_A_TOKEN = 4;

/** Returns about how many tokens a text has. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / CHARS_A_TOKEN);
}

/** Returns about how many tokens a prompt has, which is the number of its characters divided by four. Names and ids are not included. */
export function estimateTokens(entries: readonly TranscriptEntry[], system: string): number {
  const chars = entries.reduce((sum, entry) => sum + charsOf(entry), system.length);
  return Math.ceil(chars / CHARS_A_TOKEN);
}

/** Returns the largest number of characters with this estimate of tokens. */
export function charsFor(tokens: number): number {
  return tokens * CHARS_A_TOKEN;
}

function charsOf(entry: TranscriptEntry): number {
  switch (entry.type) {
    case "user":
      return entry.text.length;
    case "assistant":
      return entry.calls.reduce((sum, call) => sum + call.arguments.length, entry.text.length);
    case "result":
      return entry.content.length;
    default:
      return entry satisfies never;
  }
}
