import { type ContentRef, EVENT_CONTENT_CHARS, headOf } from "@toolbus/contracts";
import { type Blobs, StoreRefused, StoreUnavailable } from "./state-store.ts";

/** The longest text that stands in a document, an entry or a message itself, in bytes of UTF-8. */
export const INLINE_TEXT_BYTES = 48 * 1024;
/** The same as JSON text, where quotes and control characters take more room; the rest of 64 KiB is for what is around it. */
export const INLINE_ENCODED_BYTES = 56 * 1024;

/** A text as it stands in a document: whole, or its beginning and where the whole is. */
export interface HeldText {
  readonly content: string;
  readonly contentRef?: ContentRef;
}

/**
 * A text in a form that fits into a document. A long one is in the store when this resolves, so whatever refers to it may be committed then. Throws
 * `StoreUnavailable`.
 */
export async function holdText(blobs: Blobs, text: string): Promise<HeldText> {
  return fitsInline(text) ? { content: text } : referToText(blobs, text);
}

/** The same for a text that is wanted by reference, however short it is. */
export async function referToText(blobs: Blobs, text: string): Promise<HeldText & { readonly contentRef: ContentRef }> {
  // What is no Unicode would come back as another text.
  const whole = text.toWellFormed();
  const bytes = Buffer.from(whole);
  const blob = await putBlobRepeatedly(blobs, bytes);
  return { content: headOf(whole, EVENT_CONTENT_CHARS), contentRef: { blob, chars: whole.length, bytes: bytes.length } };
}

/** The whole text; null when its blob is gone, damaged or another one. Throws `StoreUnavailable`. */
export async function heldText(blobs: Blobs, { content, contentRef }: HeldText): Promise<string | null> {
  if (contentRef === undefined) return content;
  const bytes = await blobOrNull(blobs, contentRef.blob);
  return bytes?.length === contentRef.bytes ? Buffer.from(bytes).toString() : null;
}

/** The bytes under a name; null when they are gone, or are not what they were. */
export async function blobOrNull(blobs: Blobs, hash: string): Promise<Uint8Array | null> {
  try {
    return await blobs.getBlob(hash);
  } catch (error) {
    if (error instanceof StoreRefused) return null;
    throw error;
  }
}

/** Stores bytes, once more where the store did not answer: the same bytes are the same blob. */
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
  // No character takes more than three bytes a code unit, or six encoded.
  if (text.length * 6 <= INLINE_TEXT_BYTES) return true;
  return Buffer.byteLength(text) <= INLINE_TEXT_BYTES && Buffer.byteLength(JSON.stringify(text)) <= INLINE_ENCODED_BYTES;
}
