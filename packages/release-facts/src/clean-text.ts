/** Returns the text as one printable line of at most `length` characters. Only this form of foreign text is put into facts. */
export function line(text: string, length: number): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return clean.length <= length ? clean.toWellFormed() : clean.slice(0, length).toWellFormed();
}

/** Compares by code units, because localeCompare would sort differently on different machines. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
