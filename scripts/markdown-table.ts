/** Returns a table in Markdown, without a trailing newline. Characters that would end a cell are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escaped).join(" | ")} |`).join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}
