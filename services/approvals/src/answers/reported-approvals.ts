import { type Approval, isApprovalId, type JsonObject, keys, type WebhookDelivery } from "@toolbus/contracts";
import type { ReportedEvent, WebhookContent } from "@toolbus/runtime";
import type { Change } from "@toolbus/state";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import { approvalAt } from "../machine/edited.ts";
import { viewOf } from "../decisions/view.ts";

/**
 * Returns the webhook events of a commit. If the commit puts an approval into the list of pending ones, the approval is held, and a reminder and an
 * escalation follow at the times that its policy named. An escalation goes only to the targets that the policy names. A write whose tool offers a plan
 * is put into the list again when its plan arrives, or when its target has changed. If the commit removes an approval from the list, the approval has
 * ended. A write that policy alone decided is never on the list. It has no events.
 */
export function approvalEventsIn(change: Change): readonly ReportedEvent[] {
  return (change.index ?? [])
    .filter(({ index }) => index === keys.pendingApprovals())
    .flatMap<ReportedEvent>(({ member: subject, score }) => {
      const at = auditedAt(change, subject);
      if (at === null) return [];
      const { policy: { remindAt, escalateAt, escalateTo } = {}, planning, plans = [] } = storedIn(change, subject);
      // An approval that people decide again has the same events again, so each event needs its own id.
      const again = plans.some(({ drift }) => drift) ? { round: plans.length } : {};
      if (score === null) return [{ event: "approval.ended", subject, at, dueIn: 0, ...again }];
      // People hear of a write when they can approve it, or when its worker has not planned it for a while.
      if (planning?.asked === 1) return [];
      const held: ReportedEvent = { event: "approval.held", subject, at, dueIn: 0, ...(plans.length > 0 ? { round: plans.length } : {}) };
      return [
        held,
        ...(remindAt === undefined || remindAt <= at
          ? []
          : [{ event: "approval.reminder", subject, at: remindAt, dueIn: remindAt - at } as const]),
        ...(escalateAt === undefined || escalateTo === undefined || escalateAt <= at
          ? []
          : [{ event: "approval.escalated", subject, at: escalateAt, dueIn: escalateAt - at, targets: escalateTo } as const]),
      ];
    });
}

/** Returns the approval that the commit stores. */
function storedIn(change: Change, approvalId: string): Partial<Approval> {
  return ((change.put ?? []).find(({ key }) => key === keys.approval(approvalId))?.value ?? {}) as Partial<Approval>;
}

/** Returns the time of the commit from its audit entry, or null if no entry names the approval. */
function auditedAt(change: Change, approvalId: string): number | null {
  const records = (change.append ?? []).flatMap(({ log, entries }) =>
    log.startsWith("tb:audit:") ? (entries as readonly JsonObject[]) : [],
  );
  const at = records.find((record) => record["approvalId"] === approvalId)?.["at"];
  return typeof at === "number" ? at : null;
}

/**
 * Returns what a webhook sends about an approval: the view of the API at the time of the event, so that each attempt sends the same. Returns null if
 * this service did not store the approval, or if the event no longer applies, such as a reminder about an approval that has ended. `pageOf` returns
 * the address of an approval's page.
 */
export async function contentOfApproval(
  documents: Pick<ApprovalDocuments, "approval">,
  { event, subject, at, channel }: Pick<WebhookDelivery, "event" | "subject" | "at" | "channel">,
  pageOf: (approvalId: string) => string | undefined = () => undefined,
): Promise<WebhookContent | null> {
  const approval = isApprovalId(subject) ? await documents.approval(subject) : null;
  if (!approval) return null;
  const { tenant } = approval;
  // A message in Slack always shows the current state.
  if (channel === "slack") return { tenant, data: viewOf(approval, pageOf(subject)) };
  if (event === "approval.ended") return approval.status === "pending" ? null : { tenant, data: viewOf(approval, pageOf(subject)) };
  if ((event === "approval.reminder" || event === "approval.escalated") && approval.status !== "pending") return null;
  // Other systems keep a record of the event. But a person who reads a mail about it now can no longer decide.
  if (channel === "email" && approval.status !== "pending") return null;
  return { tenant, data: viewOf(pendingAt(approval, at), pageOf(subject)) };
}

/** Returns the approval as it was at this time, while people could still decide. */
function pendingAt({ reason: _, ...approval }: Approval, at: number): Approval {
  return { ...approvalAt(approval, at), status: "pending", endedAt: null };
}
