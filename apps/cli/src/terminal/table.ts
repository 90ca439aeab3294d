import { cut, WIDTH } from "./lines.ts";

/**
 * Returns rows as aligned columns under a header. Cells stay whole, so that users can copy ids. Only cells of the last column are truncated, to the
 * rest of the width or to a minimum if less is left.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const last = header.length - 1;
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = Math.max(LEAST, WIDTH - before);
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => (column === last ? cut(cell, room) : cell.padEnd(widths[column] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
}

const GAP = "  ";
const LEAST = 8;
