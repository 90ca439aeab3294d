/**
 * Returns foreign text as one plain line of at most `maxChars` characters. Control, bidirectional and zero-width characters and line breaks become
 * spaces, so that the reader of a finding sees everything in it.
 */
export function cleanText(text: string, maxChars: number): string {
  // Truncate first, so that the code does not process a whole megabyte.
  const line = text
    .slice(0, maxChars * 4)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (line.length <= maxChars) return line;
  // Truncation may split a surrogate pair.
  return `${line.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Returns foreign text in quotation marks. Double quotes in the text become single ones, so that the text cannot end the quotation. */
export function quoted(text: string, maxChars: number): string {
  return `"${cleanText(text, maxChars).replaceAll('"', "'")}"`;
}

/** Returns foreign text as a sentence that ends with a full stop or a similar sign. */
export function sentence(text: string): string {
  const line = cleanText(text, 500);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
