import { type Approval, isApprovalId, keys } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";

export interface PendingPage {
  readonly approvals: readonly Approval[];
  /** The start of the next page. It is absent on the last page. A page may have fewer approvals than its limit, even none, and not be the last. */
  readonly cursor?: string;
}

/**
 * Returns pending approvals of one tenant, oldest first. All tenants share the index, so a page reads only a limited part of it. Throws a
 * `RangeError` for a cursor that no page returned.
 */
export async function pendingApprovals(
  { state, documents }: { readonly state: StateStore; readonly documents: ApprovalDocuments },
  options: { readonly tenant: string; readonly limit: number; readonly cursor?: string },
): Promise<PendingPage> {
  const approvals: Approval[] = [];
  let { cursor } = options;
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const page = await state.page(keys.pendingApprovals(), {
      limit: options.limit - approvals.length,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const approval of await documents.approvals(page.members.map(({ member }) => member).filter(isApprovalId)))
      if (approval.status === "pending" && approval.tenant === options.tenant) approvals.push(approval);
    cursor = page.cursor;
    if (cursor === undefined || approvals.length >= options.limit) break;
  }
  return { approvals, ...(cursor === undefined ? {} : { cursor }) };
}

const MAX_ROUNDS = 20;
