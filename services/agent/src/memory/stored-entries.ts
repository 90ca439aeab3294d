import {
  type ArgumentChange,
  changesInWords,
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
 * Returns an entry in the form in which its log stores it. A large vendor payload and a long result are blobs in the store when this resolves. Throws
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

/** Stores only the vendor's part of an entry, for callers that make the entry later. Throws `StoreUnavailable`. */
export async function storeVendorTurn(blobs: Blobs, turn: VendorTurn): Promise<StoredVendorTurn> {
  const text = JSON.stringify(turn.payload);
  if (Buffer.byteLength(text) <= VENDOR_INLINE_BYTES) return turn;
  const { api, model } = turn;
  return { api, model, payloadBlob: await putBlobRepeatedly(blobs, Buffer.from(text)) };
}

/**
 * Returns an entry in the form that a model reads. Leaves out a vendor payload that the store has lost, because the neutral form has the same
 * content. If the store has lost a long result, returns its beginning and a notice. Throws `StoreUnavailable`.
 */
export async function readEntry(blobs: Blobs, stored: StoredEntry): Promise<TranscriptEntry> {
  const inline = inlineEntry(stored);
  if (inline) return inline;
  switch (stored.type) {
    case "assistant": {
      const { vendor, ...rest } = stored;
      const read = vendor && (await readVendorTurn(blobs, vendor));
      return read ? { ...rest, vendor: read } : rest;
    }
    case "result": {
      const { contentRef, edited, ...entry } = stored;
      const content = contentRef ? await heldText(blobs, { content: entry.content, contentRef }) : entry.content;
      return {
        ...entry,
        content: `${noteOn(edited)}${content ?? `${entry.content}${gone((contentRef?.chars ?? 0) - entry.content.length)}`}`,
      };
    }
    case "user":
      throw new Error("A message of a person is always stored whole.");
  }
}

/** Returns an entry in the form that a model reads, or null if a part of it is a blob in the store. */
export function inlineEntry(stored: StoredEntry): TranscriptEntry | null {
  switch (stored.type) {
    case "user": {
      const { note, ...entry } = stored;
      return note === undefined ? entry : { ...entry, text: `${entry.text}\n\n${note}` };
    }
    case "assistant": {
      const { vendor, ...rest } = stored;
      if (vendor === undefined) return rest;
      return "payloadBlob" in vendor ? null : { ...rest, vendor };
    }
    case "result": {
      const { contentRef, edited, ...entry } = stored;
      return contentRef ? null : { ...entry, content: `${noteOn(edited)}${entry.content}` };
    }
  }
}

function noteOn(edited: readonly ArgumentChange[] | undefined): string {
  return edited === undefined ? "" : editedNote(edited);
}

/**
 * Returns what the model reads before the result of a call whose arguments an approver changed. The model's own turn still contains the original
 * arguments.
 */
function editedNote(changes: readonly ArgumentChange[]): string {
  return `[The approver changed the arguments of this call before it ran: ${changesInWords(changes)}. This is the result with the changed arguments.]\n`;
}

/** Returns the notice about the rest of a text that the store has lost. */
export function gone(chars: number): string {
  return `${leftOut(chars)}\n[result_unavailable: the rest is gone from the store, what the call did is not]`;
}

async function readVendorTurn(blobs: Blobs, stored: StoredVendorTurn): Promise<VendorTurn | null> {
  if (!("payloadBlob" in stored)) return stored;
  const { api, model, payloadBlob } = stored;
  const bytes = await blobOrNull(blobs, payloadBlob);
  return bytes === null ? null : { api, model, payload: JSON.parse(Buffer.from(bytes).toString()) as Json };
}
