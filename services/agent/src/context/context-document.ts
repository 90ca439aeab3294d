import { type ContextDocument, type Json, keys } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";

// See `RENEWED_MS` in context-for.ts.
const KEPT_MS = 60 * 86_400_000;

/**
 * The change with the conversation's new context document. It needs no guard of its own: only the holder of the conversation's active run writes it, and
 * the change is guarded by that run.
 */
export function withContext(change: Change, document: ContextDocument | undefined): Change {
  if (!document) return change;
  const put = { key: keys.context(document.conversationId), value: document as unknown as Json, expiresAt: document.writtenAt + KEPT_MS };
  return { ...change, put: [...(change.put ?? []), put] };
}
