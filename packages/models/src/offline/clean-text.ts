/**
 * Foreign text as one plain line of at most `maxChars` characters: control, bidirectional and zero-width characters and line breaks become
 * spaces, so that what a person reads in a finding is all there is in it.
 */
export function cleanText(text: string, maxChars: number): string {
  // Cut first: a subject of a megabyte must not be worked through to keep its first line.
  const line = text
    .slice(0, maxChars * 4)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (line.length <= maxChars) return line;
  // A cut may fall between the halves of a surrogate pair.
  return `${line.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Foreign text in quotation marks; its own double quotes become single ones, so that it cannot end its quotation. */
export function quoted(text: string, maxChars: number): string {
  return `"${cleanText(text, maxChars).replaceAll('"', "'")}"`;
}
