import type { Json, ToolResult } from "@toolbus/contracts";

/** The largest content of a result, in bytes of UTF-8. */
export const MAX_CONTENT_BYTES = 48 * 1024;
// The ledger keeps the result as JSON text in a document of 64 KiB, where quotes and control characters take more room.
const MAX_ENCODED_BYTES = 56 * 1024;

/** The result of a handler that worked: JSON text, or plain text as it is, cut to the limit with a notice. Throws on what JSON cannot carry. */
export function outputResult(value: Json): ToolResult {
  const bounded = boundContent(contentOf(value));
  return { status: "ok", isError: false, ...bounded };
}

/** Text that fits a result. What is left out is said at its end, in characters. */
export function boundContent(text: string): { readonly content: string; readonly truncated?: boolean } {
  const whole = text.toWellFormed();
  // No character takes more than three bytes a code unit, or six encoded.
  if (whole.length * 6 <= MAX_CONTENT_BYTES || fits(whole)) return { content: whole };
  const end = lastFittingEnd(whole);
  return { content: `${whole.slice(0, end)}\n[truncated: ${whole.length - end} more characters left out]`, truncated: true };
}

function contentOf(value: Json): string {
  if (typeof value === "string") return value;
  const text: string | undefined = JSON.stringify(value);
  // A handler that gives nothing, or a function, has no JSON text.
  return text ?? "null";
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_CONTENT_BYTES && Buffer.byteLength(JSON.stringify(text)) <= MAX_ENCODED_BYTES;
}

function lastFittingEnd(text: string): number {
  let bytes = 0;
  let encoded = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    encoded += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > MAX_CONTENT_BYTES - NOTICE_BYTES || encoded > MAX_ENCODED_BYTES - NOTICE_BYTES) break;
    end += character.length;
  }
  return end;
}

const NOTICE_BYTES = 80;
