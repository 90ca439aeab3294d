import { defineTool, type Tool, toolError } from "@toolbus/tool-kit";

type Table = { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

const CELL = { type: "string", maxLength: 200 };

/** Writes a table in Markdown. It reads nothing outside its arguments, so it is a compute. */
export const formatTable: Tool = defineTool({
  name: "format_table",
  description:
    "Formats rows as a table in Markdown, e.g. with the columns Order and Amount. Up to 8 columns and 50 rows, and every row has a cell for each column. Output: the table as text. Not for calculations.",
  kind: "compute",
  parameters: {
    type: "object",
    properties: {
      columns: { type: "array", minItems: 1, maxItems: 8, items: { type: "string", minLength: 1, maxLength: 40 } },
      rows: { type: "array", maxItems: 50, items: { type: "array", minItems: 1, maxItems: 8, items: CELL } },
    },
    required: ["columns", "rows"],
    additionalProperties: false,
  },
  scopes: ["tools:read"],
  owner: "support",
  run: ({ columns, rows }: Table) => {
    const wrong = rows.findIndex((row) => row.length !== columns.length);
    if (wrong !== -1)
      return toolError("invalid_arguments", `Row ${wrong + 1} must have a cell for each of the ${columns.length} columns.`, {
        details: [{ path: `/rows/${wrong}`, message: `must have ${columns.length} items` }],
      });
    return [columns, columns.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
  },
});

/** Returns the text without the characters that would end a cell or a row. */
function cell(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}
