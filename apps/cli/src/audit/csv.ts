/**
 * Returns one row of a CSV file (RFC 4180). A spreadsheet runs a cell as a formula if the cell begins with one of the signs in `FORMULA`, and records
 * contain texts that strangers wrote. So such a cell gets an apostrophe, which makes it text.
 */
export function csvRow(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(value: string | number | boolean | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

// A spreadsheet ignores white space and control characters before the sign. It also accepts the full-width forms of the signs.
const FORMULA = /^[\s\u0000-\u001f]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
