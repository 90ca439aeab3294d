/** A table in Markdown, without an end of line behind it. What would end a cell is escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escaped).join(" | ")} |`).join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}
