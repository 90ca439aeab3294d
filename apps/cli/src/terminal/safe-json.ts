/** Returns a value as JSON text that is safe for a terminal. Any parser reads the same value from it. */
export function safeJson(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(value, null, indent));
}

/**
 * Makes JSON text safe for a terminal. JSON escapes only the characters below U+0020 by itself, so this also escapes the other control characters and the
 * bidirectional marks. They occur only inside strings, so the text means the same.
 */
export function escapedJson(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
