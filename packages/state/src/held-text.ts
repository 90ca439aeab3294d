import { type ContentRef, EVENT_CONTENT_CHARS, headOf } from "@toolbus/contracts";
import { type Blobs, StoreRefused, StoreUnavailable } from "./state-store.ts";

/** The longest text that is stored inside a document, an entry or a message, in bytes of UTF-8. */
export const INLINE_TEXT_BYTES = 48 * 1024;
/**
 * The same limit for the text in JSON, where quotes and control characters need more bytes. The rest of the 64 KiB is for the surrounding fields.
 */
export const INLINE_ENCODED_BYTES = 56 * 1024;

/** A text as a document stores it: either whole, or its beginning and a reference to the whole text. */
export interface HeldText {
  readonly content: string;
  readonly contentRef?: ContentRef;
}

/**
 * Returns a text in a form that fits into a document. A long text is already stored when the promise resolves. From then on, the caller may commit a
 * reference to the text. Throws `StoreUnavailable`.
 */
export async function holdText(blobs: Blobs, text: string): Promise<HeldText> {
  return fitsInline(text) ? { content: text } : referToText(blobs, text);
}

/** Like `holdText`, but always stores the text by reference, however short it is. */
export async function referToText(blobs: Blobs, text: string): Promise<HeldText & { readonly contentRef: ContentRef }> {
  // Invalid Unicode would be read back as a different text.
  const whole = text.toWellFormed();
  const bytes = Buffer.from(whole);
  const blob = await putBlobRepeatedly(blobs, bytes);
  return { content: headOf(whole, EVENT_CONTENT_CHARS), contentRef: { blob, chars: whole.length, bytes: bytes.length } };
}

/** Returns the whole text, or null if its blob is missing, is damaged, or has another length than the reference states. Throws `StoreUnavailable`. */
export async function heldText(blobs: Blobs, { content, contentRef }: HeldText): Promise<string | null> {
  if (contentRef === undefined) return content;
  const bytes = await blobOrNull(blobs, contentRef.blob);
  return bytes?.length === contentRef.bytes ? Buffer.from(bytes).toString() : null;
}

/** Returns the bytes of a blob, or null if they are missing or damaged. */
export async function blobOrNull(blobs: Blobs, hash: string): Promise<Uint8Array | null> {
  try {
    return await blobs.getBlob(hash);
  } catch (error) {
    if (error instanceof StoreRefused) return null;
    throw error;
  }
}

/** Stores bytes, and retries once if the store did not answer. The retry is harmless, because the same bytes are the same blob. */
export async function putBlobRepeatedly(blobs: Blobs, bytes: Uint8Array): Promise<string> {
  try {
    return await blobs.putBlob(bytes);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return blobs.putBlob(bytes);
  }
}

/** Returns whether a text is stored inside a document. */
export function fitsInline(text: string): boolean {
  // A code unit needs at most three bytes, or six in JSON.
  if (text.length * 6 <= INLINE_TEXT_BYTES) return true;
  const bytes = Buffer.byteLength(text);
  if (bytes > INLINE_TEXT_BYTES) return false;
  // JSON needs twice the bytes at most, unless the text has one of these. To write the JSON takes four times as long as to look for them.
  if (2 * bytes + 2 <= INLINE_ENCODED_BYTES && !NEEDS_SIX_BYTES.test(text)) return true;
  return Buffer.byteLength(JSON.stringify(text)) <= INLINE_ENCODED_BYTES;
}

/** The control characters that have no short escape in JSON. */
const NEEDS_SIX_BYTES = /[\0-\x07\v\x0e-\x1f]/;
