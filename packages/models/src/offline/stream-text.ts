import { setImmediate as turnOfTheLoop } from "node:timers/promises";

const WORDS_A_PIECE = 4;

/**
 * Streams a text in groups of words. The function yields to the event loop after each group, so that each group leaves the process separately, as
 * with a real model. Throws the signal's reason before the next group if the signal has aborted.
 */
export async function streamText(text: string, onText: (delta: string) => void, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  for (const piece of pieces(text)) {
    onText(piece);
    await turnOfTheLoop();
    signal.throwIfAborted();
  }
}

function pieces(text: string): readonly string[] {
  const words = text.match(/\s*\S+|\s+$/g) ?? [];
  return Array.from({ length: Math.ceil(words.length / WORDS_A_PIECE) }, (_, n) =>
    words.slice(n * WORDS_A_PIECE, (n + 1) * WORDS_A_PIECE).join(""),
  );
}
