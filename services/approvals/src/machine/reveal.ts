import { type Approval, type JsonObject, keys } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import type { Read } from "./approval.ts";
import { audited } from "./audit.ts";

/**
 * Returns the commit that records that an approver looked at a masked field. The record has the field's place and not its value. The commit does not
 * change the approval, but guards its version, so that nobody looks at a field of an approval that has ended. `id` makes the record of each look
 * unique.
 */
export function revealed(
  { version, value }: Read<Approval>,
  { by, pointer, at, id }: { readonly by: string; readonly pointer: string; readonly at: number; readonly id: string },
): Change {
  const { log, entries } = audited(value, [{ event: "revealed", by }], at);
  return {
    op: `reveal:${value.approvalId}:${id}`,
    guards: [{ key: keys.approval(value.approvalId), version }],
    append: [{ log, entries: entries.map((entry) => ({ ...(entry as JsonObject), pointer })) }],
  };
}
