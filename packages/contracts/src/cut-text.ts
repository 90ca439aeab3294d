import { counted } from "./counted.ts";

/** Returns the first characters of a text, in UTF-16 code units. Returns one unit less if the cut would split a character. */
export function headOf(text: string, chars: number): string {
  return text.slice(0, wholeEnd(text, chars));
}

/** Returns `at`, limited to the length of the text. If a cut at this position would split a character, returns the position before it. */
export function wholeEnd(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? at - 1 : at;
}

/** Returns the text unchanged if it fits the limit. Otherwise returns its beginning, with a notice that says how many characters are left out. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = headOf(text, chars);
  return `${head}${leftOut(text.length - head.length)}`;
}

/** Returns the notice at the end of a truncated text. */
export function leftOut(chars: number): string {
  return `\n[truncated: ${counted(chars, "more character")} left out]`;
}
