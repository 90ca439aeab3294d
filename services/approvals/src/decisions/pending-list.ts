import { type Approval, keys } from "@toolbus/contracts";
import { type ApprovalsPage, type Listed, type Scan, scanned } from "./index-scan.ts";

/** Which pending approvals are listed. `isWanted` leaves out some of the tenant's approvals. The order is oldest first, unless it is `desc`. */
export interface PendingWanted extends Pick<Scan, "limit" | "cursor" | "prefix" | "since"> {
  readonly tenant: string;
  readonly order?: Scan["order"];
  readonly isWanted?: (approval: Approval) => boolean;
}

/**
 * Returns a page of the pending approvals of one tenant. All tenants share the index, so a page reads only a limited part of it. Throws a
 * `RangeError` for a cursor that no page returned.
 */
export async function pendingApprovals(
  listed: Listed,
  { tenant, order = "asc", isWanted = () => true, ...wanted }: PendingWanted,
): Promise<ApprovalsPage> {
  return scanned(listed, {
    ...wanted,
    index: keys.pendingApprovals(),
    order,
    isWanted: (approval) => approval.status === "pending" && approval.tenant === tenant && isWanted(approval),
  });
}
