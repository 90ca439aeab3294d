import { type Approval, headOf, keys, messageInShort, type RunOrigin } from "@toolbus/contracts";
import { scanned, type Listed } from "../decisions/index-scan.ts";
import { counting } from "../machine/edited.ts";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import { tenantHash } from "../tenant-hash.ts";

/** What reads the background of a request. */
export interface BackgroundOptions {
  readonly state: Listed["state"];
  readonly documents: Pick<ApprovalDocuments, "approvals" | "message">;
}

/**
 * Returns what helps a person to judge a request: the beginning of the requester's own message, and the latest approved writes of the same requester
 * with the same tool. It is stored with the approval, so every channel shows the same and the evidence keeps it. It looks at the latest `MOST_READ`
 * approved writes of the tenant, so its cost is limited.
 */
export async function backgroundOf(
  { state, documents }: BackgroundOptions,
  { approvalId, tenant, requester, toolName }: Pick<Approval, "approvalId" | "tenant" | "requester" | "toolName">,
  origin: RunOrigin,
): Promise<Pick<Approval, "asked" | "before">> {
  const [message, { approvals }] = await Promise.all([
    documents.message(origin, approvalId),
    scanned(
      { state, documents },
      {
        index: keys.endedApprovals(tenantHash(tenant), "approved"),
        order: "desc",
        limit: MOST_BEFORE,
        most: MOST_READ,
        // The index is not sealed and may be wrong. So each approval is checked by its own sealed document.
        isWanted: (one) => one.status === "approved" && one.tenant === tenant && one.requester === requester && one.toolName === toolName,
      },
    ),
  ]);
  const before = approvals.map((one) => ({
    approvalId: one.approvalId,
    effect: beginningOf(one.effect, EFFECT_CHARS),
    at: one.endedAt ?? one.requestedAt,
    by: counting(one).map(({ approver }) => approver),
  }));
  return { before, ...(message === null ? {} : { asked: askedIn(message) }) };
}

const MOST_BEFORE = 3;
const MOST_READ = 200;
// The approval has to stay below the largest size of a document.
const ASKED_CHARS = 500;
const EFFECT_CHARS = 160;

/** Nobody decides by the JSON of evidence, so the card has the words of the message and says what was sent with them. */
function askedIn(message: string): string {
  const { words, note } = messageInShort(message);
  return `${beginningOf(words, ASKED_CHARS)}${note === "" ? "" : ` ${note}`}`;
}

function beginningOf(text: string, chars: number): string {
  return text.length <= chars ? text : `${headOf(text, chars)}…`;
}
