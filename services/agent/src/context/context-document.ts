import { type ContextDocument, type Json, keys } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";

// See `RENEWED_MS` in context-for.ts.
const KEPT_MS = 60 * 86_400_000;

/**
 * Adds the conversation's new context document to a change. The document needs no guard, because only the holder of the active run writes it, and the
 * run already guards the change.
 */
export function withContext(change: Change, document: ContextDocument | undefined): Change {
  if (!document) return change;
  const put = { key: keys.context(document.conversationId), value: document as unknown as Json, expiresAt: document.writtenAt + KEPT_MS };
  return { ...change, put: [...(change.put ?? []), put] };
}
