import { applyEdits, modify } from "jsonc-parser";

/** What an entry of a file of MCP servers contains. */
export type ServerEntry = Readonly<Record<string, unknown>>;

/** The text of a new file. */
export const EMPTY_FILE = '{\n  "mcpServers": {}\n}\n';

/** Returns the names of the servers in the text of a file, in their order. Returns null if the text is not JSON or has no servers. */
export function serverNames(text: string): readonly string[] | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  const servers = isObject(read) ? read["mcpServers"] : undefined;
  return isObject(servers) ? Object.keys(servers) : null;
}

/** Returns the text with one more server at the end. The rest of the text does not change. */
export function withServer(text: string, name: string, entry: ServerEntry): string {
  const formattingOptions = { ...indentOf(text), eol: text.includes("\r\n") ? "\r\n" : "\n" };
  return applyEdits(text, modify(text, ["mcpServers", name], entry, { formattingOptions }));
}

/** Returns the text without a server. The rest of the text does not change. */
export function withoutServer(text: string, name: string): string {
  // With options for a format, the library would also format the entry before the removed one.
  return applyEdits(text, modify(text, ["mcpServers", name], undefined, {}));
}

/** Returns the indentation of the first line that has one. */
function indentOf(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return indent.startsWith("\t") ? { insertSpaces: false, tabSize: 1 } : { insertSpaces: true, tabSize: indent.length };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
