import { type Approval, isApprovalId, shardOf } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Decisions } from "../decisions/decisions.ts";
import { notFound, problemOf } from "../decisions/not-decided.ts";
import type { Right } from "../decisions/view.ts";
import { isShardOf } from "../sealed/approval-documents.ts";

/** Returns the id of a request. Throws "not found" for an invalid id, or for one that this store cannot have. */
export function knownId(state: Pick<StateStore, "shards">, id: string): string {
  if (!isApprovalId(id) || !isShardOf(state, shardOf(id))) throw notFound();
  return id;
}

/** Returns an approval with the rights of its reader. Throws a problem if the reader's tenant has no such approval, or if it is damaged. */
export async function seenApproval(
  { state, decisions }: { readonly state: Pick<StateStore, "shards">; readonly decisions: Pick<Decisions, "look"> },
  id: string,
  reader: Principal,
): Promise<{ readonly approval: Approval; readonly right: Right; readonly owner?: string }> {
  const seen = await decisions.look(knownId(state, id), reader);
  if (!seen) throw notFound();
  if (seen.kind === "no") throw problemOf(seen);
  return seen;
}
