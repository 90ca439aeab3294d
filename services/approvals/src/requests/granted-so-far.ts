import { parseQuota } from "@toolbus/contracts";
import type { OpenedDocument } from "../sealed/sealed-store.ts";

/**
 * The count in a document of policy's grants; null if nobody can tell. Each grant is one revision. So if the store has an older copy than this process saw,
 * as after a loss of writes, the revision that it saw is the count.
 */
export function grantedIn(document: Exclude<OpenedDocument, { kind: "absent" }>): number | null {
  if (document.kind === "refused") return document.why === "older" ? document.seen : null;
  const parsed = parseQuota(document.value);
  return parsed.ok ? parsed.value.granted : null;
}
