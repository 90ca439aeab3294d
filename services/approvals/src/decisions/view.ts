import {
  type Approval,
  type ApprovalPlan,
  type ApprovalView,
  type ArgumentChange,
  argumentChanges,
  planChanges,
  type Decision,
  type Json,
  type JsonObject,
  MAX_PASSAGE,
  rootRunId,
  type Taint,
  visible,
} from "@toolbus/contracts";
import { canonicalJson, parseCanonicalArguments } from "@toolbus/grants";
import { redacted, redactText } from "@toolbus/telemetry";
import { currentPlan, driftedPlan, offersPlan } from "../machine/planned.ts";
import { askedOf, counting, decidedHash } from "../machine/edited.ts";
import { doubtsOf } from "./doubts.ts";

/** The right of a reader: a token to decide once, or the reason why the reader may not decide. */
export type Right =
  | { readonly mayDecide: true; readonly decisionToken: string }
  | { readonly mayDecide: false; readonly mayNotBecause: string };

/**
 * Returns the view of an approval that people see. Credentials are removed everywhere, because nobody needs one to decide and many people see a card.
 * The grant still covers the unchanged arguments, by their hash. `page` is the whole address of the approval's page, if an operator has set one.
 */
export function viewOf(approval: Approval, page?: string): ApprovalView {
  const args = parseCanonicalArguments(approval.arguments);
  const self = `/v1/approvals/${approval.approvalId}`;
  const view = redacted<ApprovalView>({
    id: approval.approvalId,
    callId: approval.callId,
    links: { self, decision: `${self}/decision`, ...(page === undefined ? {} : { page }) },
    correlationId: approval.correlationId,
    runId: approval.runId,
    rootRunId: rootRunId(approval.runId),
    conversationId: approval.conversationId,
    tool: approval.toolName,
    toolVersion: approval.toolVersion,
    toolHash: approval.toolHash,
    toolset: approval.toolset,
    arguments: args.ok ? shownObject(args.value) : null,
    doubts: [...doubtsOf(approval, args.ok ? args.value : null)],
    argumentsHash: approval.argsHash,
    ...editedOf(approval, args.ok ? args.value : {}),
    effect: approval.effect,
    ...planOf(approval),
    ...(approval.taint === undefined ? {} : { taint: shownTaint(approval.taint) }),
    ...(approval.asked === undefined ? {} : { asked: visible(approval.asked) }),
    ...(approval.before === undefined ? {} : { before: approval.before.map((one) => ({ ...one, effect: visible(one.effect) })) }),
    tier: approval.tier,
    reasons: approval.reasons,
    idempotency: { mode: approval.idempotency, inWords: WHEN_INTERRUPTED[approval.idempotency] },
    requester: approval.requester,
    agent: approval.agent,
    status: approval.status,
    approversNeeded: approval.need,
    decisions: approval.decisions.map((made) => decisionOf(approval, made)),
    requestedAt: approval.requestedAt,
    expiresAt: approval.expiresAt,
    endedAt: approval.endedAt,
    ...(approval.policy === undefined ? {} : { policy: approval.policy }),
    ...(approval.reason === undefined ? {} : { reason: approval.reason }),
  });
  return args.ok && canonicalJson(view.arguments ?? {}) !== approval.arguments ? { ...view, argumentsMasked: true } : view;
}

/** Returns the view with the team that answers for the tool, if the tool's definition names one. */
export function ownedView(approval: Approval, owner: string | undefined): ApprovalView {
  const view = viewOf(approval);
  return owner === undefined ? view : { ...view, owner: visible(redactText(owner)) };
}

/** Returns who changed the arguments, and what the agent had asked for. */
function editedOf(approval: Approval, args: JsonObject): Pick<ApprovalView, "edited"> {
  if (!approval.edited) return {};
  const asked = askedOf(approval);
  const before = parseCanonicalArguments(asked.arguments);
  // The real values are compared, because two different values may be shown alike.
  const changes = argumentChanges(before.ok ? before.value : {}, args, redactText).map(shownChange);
  return {
    edited: {
      ...approval.edited,
      asked: { arguments: before.ok ? shownObject(before.value) : null, argumentsHash: asked.argsHash, effect: asked.effect },
      changes,
    },
  };
}

/** Returns what the write will change, and what people had approved before the target changed. */
function planOf(approval: Approval): Pick<ApprovalView, "plan" | "planning"> {
  if (!offersPlan(approval)) return {};
  const plan = currentPlan(approval);
  if (plan === null) return approval.status === "pending" ? { planning: true } : {};
  const before = driftedPlan(approval);
  return {
    plan: {
      round: plan.round,
      hash: plan.hash,
      at: plan.at,
      ...changesOf(plan),
      ...(before === null ? {} : { drifted: { hash: before.hash, at: before.at, ...changesOf(before) } }),
    },
  };
}

function changesOf({ content }: ApprovalPlan): { readonly changes?: ArgumentChange[] } {
  return content === undefined ? {} : { changes: planChanges(content, redactText).map(shownChange) };
}

function shownChange({ name, before, after }: ArgumentChange): ArgumentChange {
  return {
    name: visible(name),
    ...(before === undefined ? {} : { before: visible(before) }),
    ...(after === undefined ? {} : { after: visible(after) }),
  };
}

/** Returns a decision as people see it. Once an approver has changed the arguments, it says which arguments it was about, and whether it counts. */
function decisionOf(approval: Approval, made: Decision): ApprovalView["decisions"][number] {
  const { tokenHash: _, argsHash: __, sent: ___, plan, ...rest } = made;
  const shownDecision = { ...rest, ...(plan === undefined ? {} : { planHash: plan.hash }) };
  if (approval.edited === undefined && !offersPlan(approval)) return shownDecision;
  const isVoid = made.decision === "approve" && !counting(approval).includes(made);
  const about = approval.edited === undefined ? {} : { argumentsHash: decidedHash(approval, made) };
  return { ...shownDecision, ...about, ...(isVoid ? { isVoid } : {}) };
}

function shownTaint({ sources, ...rest }: Taint): Taint {
  return {
    ...rest,
    sources: sources.map(({ callId, tool, passage }) => ({ callId, tool: visible(tool), passage: shownPassage(passage) })),
  };
}

/** Escapes make a passage longer, and a longer one would break the schema of the view. */
function shownPassage(passage: string): string {
  return visible(passage).slice(0, MAX_PASSAGE).toWellFormed();
}

const WHEN_INTERRUPTED: Readonly<Record<Approval["idempotency"], string>> = {
  key: "If this is interrupted, it is sent again with the same key, and the target does it once.",
  reconcile:
    "If this is interrupted, the target is asked whether it happened. It is never sent twice; if the target cannot tell, the outcome is reported as unknown.",
  none: "If this is interrupted, nobody can tell whether it happened. It is never sent a second time, and the outcome is reported as unknown.",
};

function shownObject(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [visible(name), shown(part)]));
}

function shown(value: Json): Json {
  if (typeof value === "string") return visible(value);
  if (typeof value !== "object" || value === null) return value;
  return isList(value) ? value.map(shown) : shownObject(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
