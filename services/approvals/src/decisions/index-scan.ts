import { type Approval, isApprovalId } from "@toolbus/contracts";
import { cursorAfter, type Place, type StateStore } from "@toolbus/state";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";

/** What a scan reads from. */
export interface Listed {
  readonly state: Pick<StateStore, "page">;
  readonly documents: Pick<ApprovalDocuments, "approvals">;
}

export interface Scan {
  readonly index: string;
  readonly order: "asc" | "desc";
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** The maximum number of index entries that this scan looks at. The default is the limit for a page that people read. */
  readonly most?: number;
  /** Only approvals whose ids begin like this. Only their documents are read, so a scan with a prefix covers more of the index. */
  readonly prefix?: string | undefined;
  /** Only approvals that the index lists at this time or later. */
  readonly since?: number | undefined;
  readonly isWanted: (approval: Approval) => boolean;
}

export interface ApprovalsPage {
  readonly approvals: readonly Approval[];
  /** The start of the next page. It is absent on the last page. A page may have fewer approvals than its limit, even none, and not be the last. */
  readonly cursor?: string;
}

/** The maximum number of approvals that one page reads, and that it reads at once. */
const READ = 500;
const BATCH = 100;
/** The maximum number of index entries that one page looks at, and the number that it gets at once if it does not read all their documents. */
const LOOKED_AT = 2000;
const SKIMMED = 250;

/**
 * Returns a page of an index of approvals. The index may have many approvals that are not wanted, so a page looks at a limited part of the index. Its
 * cost does not depend on how much the index has. Throws a `RangeError` for a cursor that no page returned.
 */
export async function scanned(
  { state, documents }: Listed,
  { index, order, cursor: from, limit, most = LOOKED_AT, prefix = "", since = 0, isWanted }: Scan,
): Promise<ApprovalsPage> {
  const approvals: Approval[] = [];
  const skims = prefix !== "" || (since > 0 && order === "asc");
  let cursor = from;
  let [looked, read] = [0, 0];
  for (;;) {
    const size = skims ? SKIMMED : looked === 0 ? Math.min(BATCH, limit, most) : BATCH;
    const page = await state.page(index, { order, limit: size, ...(cursor === undefined ? {} : { cursor }) });
    const upTo = (place: Place): ApprovalsPage =>
      page.cursor === undefined && place === page.members.at(-1) ? { approvals } : { approvals, cursor: cursorAfter(place) };
    for (let at = 0; at < page.members.length; at += BATCH) {
      const batch = page.members.slice(at, at + BATCH);
      const ids = batch.filter(({ member, score }) => isApprovalId(member) && member.startsWith(prefix) && score >= since);
      const found = new Map((await documents.approvals(ids.map(({ member }) => member))).map((one) => [one.approvalId, one]));
      for (const place of batch) {
        // The newest are first, so all that follow are too old as well.
        if (order === "desc" && place.score < since) return { approvals };
        const approval = found.get(place.member);
        if (approval && isWanted(approval)) approvals.push(approval);
        if (approvals.length === limit) return upTo(place);
      }
      read += ids.length;
      const last = batch.at(-1);
      if (read >= READ && last) return upTo(last);
    }
    ({ cursor } = page);
    looked += page.members.length;
    if (cursor === undefined || looked >= most) return { approvals, ...(cursor === undefined ? {} : { cursor }) };
  }
}
