import type { CountTokens } from "./tokenizer.ts";

/**
 * Returns about how many tokens a text has. For the counted part, the error is a few percent. More text at the end never lowers the result. A
 * tokenizer alone does not guarantee this, because the rest of a word can merge two tokens into one. Therefore the text is cut at places that do not
 * depend on the text after them. Each piece is counted separately, and the unfinished last piece is counted by its length.
 *
 * The cost is limited. Beyond 32,768 characters, only an eighth of the text is counted, and the rest is assumed to be similar.
 */
export function textTokens(text: string, count: CountTokens): number {
  if (text.length <= COUNTED) return counted(text, count);
  let tokens = counted(text.slice(0, COUNTED), count);
  for (let start = COUNTED; start < text.length; start += BLOCK) {
    const length = Math.min(BLOCK, text.length - start);
    const sample = counted(text.slice(start, start + Math.min(SAMPLE, length)), count);
    tokens += Math.floor(sample * Math.max(1, length / SAMPLE));
  }
  return tokens;
}

/**
 * Returns a number that `textTokens` never exceeds. It needs only the length of the text, because a token has at least one byte. The rest of a long text
 * may be assumed to be like its densest part, so there every character counts as the three bytes that it has at most.
 */
export function mostTextTokens(text: string): number {
  return text.length <= COUNTED ? Buffer.byteLength(text) : 3 * text.length;
}

const COUNTED = 32_768;
const BLOCK = 16_384;
const SAMPLE = 2048;
// A piece ends before the first white space after PIECE_MIN characters, or after PIECE_MAX characters.
const PIECE_MIN = 48;
const PIECE_MAX = 96;
/** The divisor for an unfinished piece. Every finished piece has at least this count, so more text never lowers the count. */
const BYTES_A_TOKEN = 6;

function counted(text: string, count: CountTokens): number {
  let tokens = 0;
  let start = 0;
  for (let end = pieceEnd(text, start); end > 0; end = pieceEnd(text, start)) {
    const piece = text.slice(start, end);
    tokens += Math.max(count(piece), byBytes(piece));
    start = end;
  }
  return tokens + byBytes(text.slice(start));
}

/** Returns the end of the piece that starts here. Returns 0 while the end depends on text that may follow. */
function pieceEnd(text: string, start: number): number {
  const last = Math.min(start + PIECE_MAX, text.length);
  for (let at = start + PIECE_MIN; at < last; at++) if (isSpace(text.charCodeAt(at))) return at;
  if (start + PIECE_MAX > text.length) return 0;
  // Do not split a surrogate pair.
  return isHighSurrogate(text.charCodeAt(start + PIECE_MAX - 1)) ? start + PIECE_MAX - 1 : start + PIECE_MAX;
}

function byBytes(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
