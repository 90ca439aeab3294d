import { type Json, leftOut, type ToolResult } from "@toolbus/contracts";
import { fitsInline, holdText, INLINE_ENCODED_BYTES, INLINE_TEXT_BYTES, type StateStore } from "@toolbus/state";
import { isHtmlPage, textOfHtml } from "./text-of-html.ts";

/** The longest content of a result by default, in bytes of UTF-8. */
export const MAX_CONTENT_BYTES = 1024 * 1024;

/**
 * The result of a handler that succeeded: JSON text, or plain text unchanged, of any length; for an HTML page, its words. Throws on a value that JSON
 * cannot carry.
 */
export function outputResult(value: Json): ToolResult {
  return { status: "ok", isError: false, content: contentOf(value).toWellFormed() };
}

/**
 * A result in the form that is recorded and answered: its content is truncated to `maxBytes` with a notice, and stored before anything refers to it if it
 * is too long to travel. Throws `StoreUnavailable`.
 */
export async function keptResult(
  result: ToolResult,
  { state, maxBytes }: { readonly state: Pick<StateStore, "putBlob" | "getBlob">; readonly maxBytes: number },
): Promise<ToolResult> {
  const bounded = Buffer.byteLength(result.content) > maxBytes ? { ...result, ...cutToBytes(result.content, maxBytes) } : result;
  return fitsInline(bounded.content) ? bounded : { ...bounded, ...(await holdText(state, bounded.content)) };
}

/** Text that fits a message. Its end says how many characters are left out. */
export function boundContent(text: string): { readonly content: string; readonly truncated?: boolean } {
  const whole = text.toWellFormed();
  return fitsInline(whole) ? { content: whole } : cutAt(whole, lastFittingEnd(whole));
}

function contentOf(value: Json): string {
  if (typeof value === "string") return isHtmlPage(value) ? textOfHtml(value) : value;
  const text: string | undefined = JSON.stringify(value);
  // A handler that returns nothing, or a function, has no JSON text.
  return text ?? "null";
}

function cutToBytes(text: string, maxBytes: number): { readonly content: string; readonly truncated: true } {
  const bytes = Buffer.from(text);
  let end = Math.max(0, maxBytes - NOTICE_BYTES);
  // Not inside a character: its later bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return cutAt(text, bytes.subarray(0, end).toString().length);
}

function cutAt(text: string, end: number): { readonly content: string; readonly truncated: true } {
  return { content: `${text.slice(0, end)}${leftOut(text.length - end)}`, truncated: true };
}

function lastFittingEnd(text: string): number {
  let bytes = 0;
  let encoded = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    encoded += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > INLINE_TEXT_BYTES - NOTICE_BYTES || encoded > INLINE_ENCODED_BYTES - NOTICE_BYTES) break;
    end += character.length;
  }
  return end;
}

const NOTICE_BYTES = 80;
