import { counted } from "./counted.ts";

/** The first characters of a text, in UTF-16 code units: one less if the cut would split a character. */
export function headOf(text: string, chars: number): string {
  return text.slice(0, wholeEnd(text, chars));
}

/** The nearest place, here or just before, where the text can be cut without splitting a character. */
export function wholeEnd(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? at - 1 : at;
}

/** The beginning of a text that is longer than the limit, with a notice of how many characters are left out. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = headOf(text, chars);
  return `${head}${leftOut(text.length - head.length)}`;
}

/** The notice at the end of a truncated text. */
export function leftOut(chars: number): string {
  return `\n[truncated: ${counted(chars, "more character")} left out]`;
}
