import type { Json } from "@toolbus/contracts";
import type { KeySet } from "./key-set.ts";
import { seenRevisions } from "./seen-revisions.ts";
import { type DocumentVerdict, type SignedDocumentType, verifyDocument } from "./signed-document.ts";

/** A `DocumentVerdict`, or `older` if the document is genuine but this process has seen a later revision. */
export type SignedVerdict = DocumentVerdict | { readonly kind: "older"; readonly detail: string };

/** Reads signed documents of one kind, for one process. */
export interface SignedReader {
  read(key: string, value: Json): Promise<SignedVerdict>;
}

/**
 * Returns a reader that remembers which text it verified under each key of the store, and the highest revision of each document. So a document that
 * is read for every write costs a comparison and not a verification. After a key is revoked, the reader no longer accepts the documents that it
 * signed.
 */
export function signedReader(options: { readonly typ: SignedDocumentType; readonly keys: KeySet; readonly most?: number }): SignedReader {
  const { typ, keys, most = 1000 } = options;
  const verified = new Map<string, { readonly text: string; readonly verdict: Extract<DocumentVerdict, { kind: "genuine" }> }>();
  const seen = seenRevisions();
  return {
    async read(key, value) {
      const text = JSON.stringify(value);
      const known = verified.get(key);
      const verdict =
        known?.text === text && (await keys.find(known.verdict.kid)) !== null
          ? known.verdict
          : await verifyDocument(typ, { key, value }, keys);
      if (verdict.kind !== "genuine") return verdict;
      if (!seen.note(key, verdict.revision)) return { kind: "older", detail: `its revision ${verdict.revision} was replaced before` };
      if (known?.text !== text) remember(key, { text, verdict });
      return verdict;
    },
  };

  function remember(key: string, entry: { readonly text: string; readonly verdict: Extract<DocumentVerdict, { kind: "genuine" }> }): void {
    verified.delete(key);
    verified.set(key, entry);
    const [oldest] = verified.keys();
    if (verified.size > most && oldest !== undefined) verified.delete(oldest);
  }
}
