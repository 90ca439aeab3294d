/**
 * Foreign text as one plain line of at most `maxChars` characters. Control, bidirectional and zero-width characters and line breaks become spaces, so
 * that a finding contains nothing that its reader does not see.
 */
export function cleanText(text: string, maxChars: number): string {
  // Cut first, so that a subject of a megabyte is not processed as a whole.
  const line = text
    .slice(0, maxChars * 4)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (line.length <= maxChars) return line;
  // A cut may split a surrogate pair.
  return `${line.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Foreign text in quotation marks. Its own double quotes become single ones, so that it cannot end the quotation. */
export function quoted(text: string, maxChars: number): string {
  return `"${cleanText(text, maxChars).replaceAll('"', "'")}"`;
}
