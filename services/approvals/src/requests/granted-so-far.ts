import { parseQuota } from "@toolbus/contracts";
import type { OpenedDocument } from "../sealed/sealed-store.ts";

/**
 * Returns the count in a document of grants by policy, or null if nobody knows it. Each grant is one revision. If the store has lost writes and
 * returns an older copy, the count is the highest revision that this process saw.
 */
export function grantedIn(document: Exclude<OpenedDocument, { kind: "absent" }>): number | null {
  if (document.kind === "refused") return document.why === "older" ? document.seen : null;
  const parsed = parseQuota(document.value);
  return parsed.ok ? parsed.value.granted : null;
}
