import type { Json, StoredEntry, TranscriptEntry } from "@toolbus/contracts";
import { type Blobs, blobOrNull, heldText } from "@toolbus/state";

/** Returns an entry as a record has it: with the vendor's payload and all of the text of a result. */
export async function wholeEntry(blobs: Blobs, stored: StoredEntry): Promise<TranscriptEntry> {
  if (stored.type === "user") return stored;
  if (stored.type === "result") {
    const { contentRef: _, ...entry } = stored;
    return { ...entry, content: (await heldText(blobs, stored)) ?? stored.content };
  }
  const { vendor, ...rest } = stored;
  if (vendor === undefined) return rest;
  if (!("payloadBlob" in vendor)) return { ...rest, vendor };
  const { api, model, payloadBlob } = vendor;
  const bytes = await blobOrNull(blobs, payloadBlob);
  return bytes === null ? rest : { ...rest, vendor: { api, model, payload: JSON.parse(Buffer.from(bytes).toString()) as Json } };
}
