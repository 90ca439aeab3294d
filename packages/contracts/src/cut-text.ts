import { counted } from "./counted.ts";

/** The first characters of a text, in UTF-16 code units: one less where that would halve a character. */
export function headOf(text: string, chars: number): string {
  return text.slice(0, wholeEnd(text, chars));
}

/** Where a text can be cut at or just before this place without halving a character. */
export function wholeEnd(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? at - 1 : at;
}

/** The beginning of a text that is longer than so many characters, with a notice of how many are left out. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = headOf(text, chars);
  return `${head}${leftOut(text.length - head.length)}`;
}

/** The notice at the end of a text that was cut. */
export function leftOut(chars: number): string {
  return `\n[truncated: ${counted(chars, "more character")} left out]`;
}
