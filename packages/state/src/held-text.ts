import { type ContentRef, EVENT_CONTENT_CHARS, headOf } from "@toolbus/contracts";
import { type Blobs, StoreRefused, StoreUnavailable } from "./state-store.ts";

/** The longest text that is stored in a document, an entry or a message itself, in bytes of UTF-8. */
export const INLINE_TEXT_BYTES = 48 * 1024;
/** The same as JSON text, in which quotes and control characters take more room; the rest of 64 KiB is for the surrounding fields. */
export const INLINE_ENCODED_BYTES = 56 * 1024;

/** A text as it stands in a document: either whole, or its beginning and a reference to the whole. */
export interface HeldText {
  readonly content: string;
  readonly contentRef?: ContentRef;
}

/**
 * A text in a form that fits into a document. A long one is stored when this resolves, so a reference to it may then be committed. Throws
 * `StoreUnavailable`.
 */
export async function holdText(blobs: Blobs, text: string): Promise<HeldText> {
  return fitsInline(text) ? { content: text } : referToText(blobs, text);
}

/** The same for a text that must be stored by reference, however short it is. */
export async function referToText(blobs: Blobs, text: string): Promise<HeldText & { readonly contentRef: ContentRef }> {
  // Invalid Unicode would come back as another text.
  const whole = text.toWellFormed();
  const bytes = Buffer.from(whole);
  const blob = await putBlobRepeatedly(blobs, bytes);
  return { content: headOf(whole, EVENT_CONTENT_CHARS), contentRef: { blob, chars: whole.length, bytes: bytes.length } };
}

/** The whole text; null if its blob is missing, damaged or a different one. Throws `StoreUnavailable`. */
export async function heldText(blobs: Blobs, { content, contentRef }: HeldText): Promise<string | null> {
  if (contentRef === undefined) return content;
  const bytes = await blobOrNull(blobs, contentRef.blob);
  return bytes?.length === contentRef.bytes ? Buffer.from(bytes).toString() : null;
}

/** The bytes under a name; null if they are missing or damaged. */
export async function blobOrNull(blobs: Blobs, hash: string): Promise<Uint8Array | null> {
  try {
    return await blobs.getBlob(hash);
  } catch (error) {
    if (error instanceof StoreRefused) return null;
    throw error;
  }
}

/** Stores bytes, and retries once if the store did not answer: the same bytes are the same blob. */
export async function putBlobRepeatedly(blobs: Blobs, bytes: Uint8Array): Promise<string> {
  try {
    return await blobs.putBlob(bytes);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return blobs.putBlob(bytes);
  }
}

/** Whether a text stands in a document itself. */
export function fitsInline(text: string): boolean {
  // No character takes more than three bytes per code unit, or six when encoded.
  if (text.length * 6 <= INLINE_TEXT_BYTES) return true;
  return Buffer.byteLength(text) <= INLINE_TEXT_BYTES && Buffer.byteLength(JSON.stringify(text)) <= INLINE_ENCODED_BYTES;
}
