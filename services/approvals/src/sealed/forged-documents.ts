import { HOME_SHARD } from "@toolbus/contracts";
import type { OpenedDocument, SealedStore } from "./sealed-store.ts";
import type { RecordSecurityEvent } from "./security.ts";

/**
 * Returns the same store, but a pin or an era that approvals did not sign now causes a security event. Each forged document causes only one event.
 * The code that reads the documents of one approval reports them itself, because it knows the approval's id.
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
      // Replies of the store may overtake each other, so an older document is not reported here. A caller that reads again reports it itself.
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
    // A document that was repaired and then changed again is reported again.
    if (opened.kind !== "refused") return void said.delete(key);
    const { version, why, detail } = opened;
    const name = `${version} ${why}`;
    if (said.get(key) === name) return;
    said.set(key, name);
    await security(HOME_SHARD, { kind: "document_refused", by: "store", details: { document: key, why, detail } });
  }
}

/** Pins and the era belong to no single approval, and there are few of them. */
const IS_OF_ALL = /^tb:(?:pin|era):/;
