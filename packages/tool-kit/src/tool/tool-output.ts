import { type Json, leftOut, type ToolResult } from "@toolbus/contracts";
import { fitsInline, holdText, INLINE_ENCODED_BYTES, INLINE_TEXT_BYTES, type StateStore } from "@toolbus/state";
import type { ResultMedia } from "./result-media.ts";
import { isHtmlPage, textOfHtml } from "./text-of-html.ts";

/** The default maximum length of a result's content, in bytes of UTF-8. */
export const MAX_CONTENT_BYTES = 1024 * 1024;

/**
 * Returns the result of a handler that succeeded. Its content is JSON text, unchanged plain text, or the words of an HTML page, of any length. Throws
 * for a value that JSON cannot represent.
 */
export function outputResult(value: Json): ToolResult {
  return { status: "ok", isError: false, content: contentOf(value).toWellFormed() };
}

/**
 * Returns a result in the form that is recorded and answered. Its content is truncated to `maxBytes` with a notice. If the content is too long for a
 * message, it is stored before anything refers to it. A result that is no error has its media. Throws `StoreUnavailable`.
 */
export async function keptResult(
  result: ToolResult,
  {
    state,
    maxBytes,
    media,
  }: { readonly state: Pick<StateStore, "putBlob" | "getBlob">; readonly maxBytes: number; readonly media: ResultMedia },
): Promise<ToolResult> {
  const bounded = Buffer.byteLength(result.content) > maxBytes ? { ...result, ...cutToBytes(result.content, maxBytes) } : result;
  const held = fitsInline(bounded.content) ? bounded : { ...bounded, ...(await holdText(state, bounded.content)) };
  const refs = held.isError ? [] : await media.stored(state);
  return refs.length === 0 ? held : { ...held, media: [...refs] };
}

/** Returns text that fits a message. If it was truncated, its end says how many characters were left out. */
export function boundContent(text: string): { readonly content: string; readonly truncated?: boolean } {
  const whole = text.toWellFormed();
  return fitsInline(whole) ? { content: whole } : cutAt(whole, lastFittingEnd(whole));
}

function contentOf(value: Json): string {
  if (typeof value === "string") return isHtmlPage(value) ? textOfHtml(value) : value;
  const text: string | undefined = JSON.stringify(value);
  // If a handler returns nothing or a function, there is no JSON text.
  return text ?? "null";
}

function cutToBytes(text: string, maxBytes: number): { readonly content: string; readonly truncated: true } {
  const bytes = Buffer.from(text);
  let end = Math.max(0, maxBytes - NOTICE_BYTES);
  // The text must not end inside a character, whose later bytes begin with the bits 10.
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
