import { type Approval, keys, shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { tenantHash } from "../tenant-hash.ts";

type Entries = NonNullable<Change["index"]>;

/**
 * Returns the changes that put an ended approval into the lists of its tenant: into the list of all that ended, and into the list of its outcome. They
 * are a part of the commit that ends the approval, so the lists are complete. Repeating them changes nothing. A pending approval, and one whose tenant
 * is unknown, is in none of these lists. `forgetEnded` removes an entry when its approval is no longer kept.
 */
export function endedEntries({ approvalId, tenant, status, endedAt }: Approval): Entries {
  if (endedAt === null || status === "pending" || tenant === "") return [];
  const hash = tenantHash(tenant);
  return [
    ...[keys.endedApprovals(hash), keys.endedApprovals(hash, status)].map((index) => ({ index, member: approvalId, score: endedAt })),
    // Every shard has its own part of an index. So the tenant is listed in the shard of each commit.
    { index: keys.endedApprovalTenants(), member: `${hash}.${shardOf(approvalId)}`, score: 0 },
  ];
}

/** Returns the changes that take an approval out of these lists again, because people decide about it once more. */
export function reopenedEntries(ended: Approval): Entries {
  return endedEntries(ended).flatMap((entry) => (entry.index === keys.endedApprovalTenants() ? [] : [{ ...entry, score: null }]));
}
