import { type Approval, type ApprovalListStatus, keys } from "@toolbus/contracts";
import { tenantHash } from "../tenant-hash.ts";
import { type ApprovalsPage, type Listed, scanned } from "./index-scan.ts";
import { pendingApprovals } from "./pending-list.ts";

export interface ApprovalsWanted {
  readonly tenant: string;
  /** `ended` means every status except `pending`. */
  readonly status: ApprovalListStatus | "ended";
  /**
   * A time by the store's clock. A listed approval was requested at this time or later if it is pending. Otherwise it ended at this time or later.
   */
  readonly since?: number | undefined;
  readonly tool?: string | undefined;
  readonly requester?: string | undefined;
  /** The beginning of the approvals' ids. */
  readonly prefix?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Returns a page of one tenant's approvals. Pending ones are oldest first, and ended ones newest first. The list of all has the pending ones first,
 * newest first. An approval that ends while somebody reads these pages may be on two pages. It is never missing, because the ended approvals are read
 * after the pending ones. Throws a `RangeError` for a cursor that no page returned.
 */
export async function listedApprovals(listed: Listed, { status, ...wanted }: ApprovalsWanted): Promise<ApprovalsPage> {
  const filters = { ...wanted, isWanted: (approval: Approval) => isWanted(approval, wanted) };
  if (status === "pending") return pendingApprovals(listed, filters);
  if (status === "ended") return endedApprovals(listed, filters);
  if (status !== "all") return endedApprovals(listed, filters, status);
  const { part, inner } = partOf(wanted.cursor);
  if (part === "ended") return marked("ended", await endedApprovals(listed, { ...filters, cursor: inner }));
  const pending = await pendingApprovals(listed, { ...filters, cursor: inner, order: "desc" });
  if (pending.cursor !== undefined) return marked("pending", pending);
  const left = wanted.limit - pending.approvals.length;
  if (left === 0) return { ...pending, cursor: "ended:" };
  const ended = await endedApprovals(listed, { ...filters, cursor: undefined, limit: left });
  return marked("ended", { ...ended, approvals: [...pending.approvals, ...ended.approvals] });
}

type Filters = Omit<ApprovalsWanted, "status"> & { readonly isWanted: (approval: Approval) => boolean };

function endedApprovals(listed: Listed, { tenant, ...filters }: Filters, outcome?: string): Promise<ApprovalsPage> {
  return scanned(listed, {
    ...filters,
    index: keys.endedApprovals(tenantHash(tenant), outcome),
    order: "desc",
    // The index is not sealed, so the document decides.
    isWanted: (approval) =>
      approval.status !== "pending" &&
      (outcome === undefined || approval.status === outcome) &&
      approval.tenant === tenant &&
      filters.isWanted(approval),
  });
}

function isWanted({ toolName, requester }: Approval, wanted: Pick<ApprovalsWanted, "tool" | "requester">): boolean {
  return (wanted.tool === undefined || toolName === wanted.tool) && (wanted.requester === undefined || requester === wanted.requester);
}

type Part = "pending" | "ended";

/** Returns where a page of all approvals starts: in which of the two lists, and after which of its approvals. */
function partOf(cursor: string | undefined): { readonly part: Part; readonly inner: string | undefined } {
  if (cursor === undefined) return { part: "pending", inner: undefined };
  const [, part, inner] = /^(pending|ended):(.*)$/s.exec(cursor) ?? [];
  if (part === undefined) throw new RangeError("This cursor comes from no page: start again without one.");
  return { part: part as Part, inner: inner || undefined };
}

function marked(part: Part, { approvals, cursor }: ApprovalsPage): ApprovalsPage {
  return { approvals, ...(cursor === undefined ? {} : { cursor: `${part}:${cursor}` }) };
}
