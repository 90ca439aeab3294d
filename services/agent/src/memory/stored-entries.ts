import {
  leftOut,
  type Json,
  type StoredEntry,
  type StoredVendorTurn,
  type TranscriptEntry,
  VENDOR_INLINE_BYTES,
  type VendorTurn,
} from "@toolbus/contracts";
import { blobOrNull, type Blobs, heldText, holdText, putBlobRepeatedly } from "@toolbus/state";

/**
 * An entry in the form in which its log holds it: a large vendor payload and a long result are blobs in the store when this resolves. Throws
 * `StoreUnavailable`.
 */
export async function storeEntry(blobs: Blobs, entry: TranscriptEntry): Promise<StoredEntry> {
  switch (entry.type) {
    case "user":
      return entry;
    case "assistant": {
      const { vendor, ...rest } = entry;
      return vendor ? { ...rest, vendor: await storeVendorTurn(blobs, vendor) } : rest;
    }
    case "result":
      return { ...entry, ...(await holdText(blobs, entry.content)) };
  }
}

/** Only the vendor's part of an entry, for callers that make the entry later. Throws `StoreUnavailable`. */
export async function storeVendorTurn(blobs: Blobs, turn: VendorTurn): Promise<StoredVendorTurn> {
  const text = JSON.stringify(turn.payload);
  if (Buffer.byteLength(text) <= VENDOR_INLINE_BYTES) return turn;
  const { api, model } = turn;
  return { api, model, payloadBlob: await putBlobRepeatedly(blobs, Buffer.from(text)) };
}

/**
 * An entry in its original form. A payload that is missing from the store is omitted, because the neutral form says the same; a missing result is marked as
 * such, with its beginning. Throws `StoreUnavailable`.
 */
export async function readEntry(blobs: Blobs, stored: StoredEntry): Promise<TranscriptEntry> {
  switch (stored.type) {
    case "user":
      return stored;
    case "assistant": {
      const { vendor, ...rest } = stored;
      const read = vendor && (await readVendorTurn(blobs, vendor));
      return read ? { ...rest, vendor: read } : rest;
    }
    case "result": {
      const { contentRef, ...entry } = stored;
      if (!contentRef) return entry;
      const content = await heldText(blobs, { content: entry.content, contentRef });
      return { ...entry, content: content ?? `${entry.content}${gone(contentRef.chars - entry.content.length)}` };
    }
  }
}

/** Replaces the rest of a text that the store has lost. */
export function gone(chars: number): string {
  return `${leftOut(chars)}\n[result_unavailable: the rest is gone from the store, what the call did is not]`;
}

async function readVendorTurn(blobs: Blobs, stored: StoredVendorTurn): Promise<VendorTurn | null> {
  if (!("payloadBlob" in stored)) return stored;
  const { api, model, payloadBlob } = stored;
  const bytes = await blobOrNull(blobs, payloadBlob);
  return bytes === null ? null : { api, model, payload: JSON.parse(Buffer.from(bytes).toString()) as Json };
}
