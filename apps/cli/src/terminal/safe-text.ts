/**
 * Makes external text from a model, a tool or a server safe for a terminal. Control characters could move the cursor or recolour earlier text, and
 * bidirectional marks could reorder text. So both become visible escapes. Tabs and line feeds stay.
 */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
  });
}

/** Returns an external value with every text in it made safe, for commands that show parts of it. */
export function safeValue<T>(value: T): T {
  return safe(value) as T;
}

function safe(value: unknown): unknown {
  if (typeof value === "string") return safeText(value);
  if (Array.isArray(value)) return value.map(safe);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [safeText(name), safe(part)]));
}

const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
