import { HOME_SHARD } from "@toolbus/contracts";
import type { OpenedDocument, SealedStore } from "./sealed-store.ts";
import type { RecordSecurityEvent } from "./security.ts";

/**
 * The same store, in which a pin or an era that approvals did not sign is a security event: one for each such document, not one for each read. Documents of
 * one approval are reported where they are read, with its id.
 */
export function reportForgedDocuments({
  sealed,
  security,
}: {
  readonly sealed: SealedStore;
  readonly security: RecordSecurityEvent;
}): SealedStore {
  const said = new Map<string, string>();
  return {
    ...sealed,
    async open(key, document) {
      const opened = await sealed.open(key, document);
      // Replies of the store may overtake each other; a caller that reads once more reports an older one itself.
      if (opened.kind !== "refused" || opened.why !== "older") await tell(key, opened);
      return opened;
    },
    async read(keys) {
      const read = await sealed.read(keys);
      for (const { key, opened } of read.documents) await tell(key, opened);
      return read;
    },
  };

  async function tell(key: string, opened: OpenedDocument): Promise<void> {
    if (!IS_OF_ALL.test(key)) return;
    // A document that is repaired and then changed again is a new case.
    if (opened.kind !== "refused") return void said.delete(key);
    const { version, why, detail } = opened;
    const name = `${version} ${why}`;
    if (said.get(key) === name) return;
    said.set(key, name);
    await security(HOME_SHARD, { kind: "document_refused", by: "store", details: { document: key, why, detail } });
  }
}

/** They belong to no single approval, and are few. */
const IS_OF_ALL = /^tb:(?:pin|era):/;
