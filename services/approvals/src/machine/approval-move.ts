import { type Approval, type DecisionToken, keys, messageIds, type Quota, topics } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { type AnswerRow, storedRow } from "./answer-row.ts";
import { type AuditEvent, audited } from "./audit.ts";
import { offersPlan } from "./planned.ts";
import { endedEntries } from "./ended-lists.ts";
import { APPROVALS_SERVICE, FINISHED_KEPT_MS } from "../settings.ts";

/** A legal transition: the approval after it, and the one commit that stores it. */
export interface Move {
  readonly kind: "move";
  readonly approval: Approval;
  readonly change: Change;
}

/** Returns the id of an approval's expiry timer. */
export const timerIdOf = (approvalId: string): string => `apr:${approvalId}`;

/** Returns the id of the timer after which approvals asks for the plan of a write again. */
export const planTimerIdOf = (approvalId: string): string => `plan:${approvalId}`;

/** Returns the change that sets or removes the timer of an approval whose tool offers a plan. The timer exists while a plan is missing. */
export function planTimers(approval: Approval): NonNullable<Change["timers"]> {
  const { approvalId, planning, endedAt } = approval;
  if (!offersPlan(approval)) return [];
  const waits = planning !== undefined && endedAt === null;
  const dueIn = waits ? Math.min(PLAN_AGAIN_MS * 2 ** (planning.asked - 1), PLAN_AGAIN_MOST_MS) : null;
  return [{ service: APPROVALS_SERVICE, id: planTimerIdOf(approvalId), dueIn }];
}

/** A worker that does not answer is asked again after this time, then after twice the time, and so on. */
const PLAN_AGAIN_MS = 10_000;
const PLAN_AGAIN_MOST_MS = 300_000;

/** Returns the changes that remove the approval's timer and its place in the list of pending approvals. */
export function closing(approval: Approval): Pick<Change, "timers" | "index"> {
  return { timers: [timer(approval, null), ...planTimers(approval)], index: [indexed(approval, null)] };
}

/** Returns the change that sets the expiry timer, due in this many milliseconds. With null, the change removes the timer. */
export function timer({ approvalId }: Approval, dueIn: number | null): NonNullable<Change["timers"]>[number] {
  return { service: APPROVALS_SERVICE, id: timerIdOf(approvalId), dueIn };
}

/** Returns the change that sets the approval's place in the list of pending approvals. With null, the change removes the approval from the list. */
export function indexed({ approvalId }: Approval, score: number | null): NonNullable<Change["index"]>[number] {
  return { index: keys.pendingApprovals(), member: approvalId, score };
}

/** The parts of a transition besides the approval itself. */
export interface MoveParts {
  readonly at: number;
  readonly events: readonly { readonly event: AuditEvent; readonly by: string }[];
  readonly answer?: AnswerRow["answer"];
  readonly reason?: string;
  /** True if the worker is asked what the write will change. */
  readonly asksPlan?: boolean;
  readonly change: Omit<Change, "op" | "guards" | "put" | "append" | "outbox">;
  /** Documents that change in the same commit. */
  readonly beside?: readonly { readonly key: string; readonly version: number; readonly value: DecisionToken | Quota }[];
}

/** Assembles a transition: the document guarded by its version, the audit entry, and the answer that is sent. */
export function move(op: string, version: number, approval: Approval, parts: MoveParts): Move {
  const { at, events, answer, reason, asksPlan = false, change, beside = [] } = parts;
  const outbox = [
    ...(answer === undefined ? [] : [outboxRow(approval, { at, answer, ...(reason === undefined ? {} : { reason }) })]),
    ...(asksPlan ? [planRow(approval, at)] : []),
  ];
  const key = keys.approval(approval.approvalId);
  const kept = { expiresAt: at + FINISHED_KEPT_MS };
  const index = [...(change.index ?? []), ...endedEntries(approval)];
  return {
    kind: "move",
    approval,
    change: {
      ...change,
      ...(index.length > 0 ? { index } : {}),
      op,
      guards: [{ key, version }, ...beside.map((other) => ({ key: other.key, version: other.version }))],
      put: [
        { key, value: approval, ...(approval.endedAt === null ? {} : kept) },
        ...beside.map((other) => ({ key: other.key, value: other.value, ...kept })),
      ],
      ...(events.length > 0 ? { append: [audited(approval, events, at)] } : {}),
      ...(outbox.length > 0 ? { outbox } : {}),
    },
  };
}

function outboxRow(approval: Approval, row: Pick<AnswerRow, "at" | "answer" | "reason">): NonNullable<Change["outbox"]>[number] {
  const { approvalId, agent, sent: n } = approval;
  const held = row.answer === "held";
  return {
    service: APPROVALS_SERVICE,
    id: messageIds.other(held ? "held" : "decided", approvalId, n),
    topic: held ? topics.approvalHeld(agent) : topics.approvalDecided(agent),
    message: storedRow({ approvalId, n, ...row }),
    dueIn: 0,
  };
}

/** Returns the row of the question that asks what a write will change. */
function planRow({ approvalId, toolset, sent: n }: Approval, at: number): NonNullable<Change["outbox"]>[number] {
  return {
    service: APPROVALS_SERVICE,
    id: messageIds.other("plan", approvalId, n),
    topic: topics.plan(toolset),
    message: storedRow({ approvalId, n, at, answer: "plan" }),
    dueIn: 0,
  };
}
