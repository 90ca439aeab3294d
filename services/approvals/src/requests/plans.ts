import type { Verdict } from "@toolbus/bus";
import {
  type Approval,
  approvalCallId,
  approvalIdOf,
  type ApprovalPlanned,
  attributes,
  callParts,
  isApprovalId,
  MAX_PLAN_BYTES,
  type Message,
  shardOf,
} from "@toolbus/contracts";
import {
  canonicalJson,
  MAX_SIGNED_CHARS,
  planHash,
  planProblemHash,
  publicKeys,
  type TrustedKeys,
  unitedKeys,
  verifyPlan,
} from "@toolbus/grants";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore, TimerRow } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Read } from "../machine/approval.ts";
import { planTimerIdOf } from "../machine/approval-move.ts";
import { askPlanAgain, drifted, forgetPlanTimer, planned, type SignedPlan, unplannable } from "../machine/plan-moves.ts";
import type { Pins } from "../pins/pins.ts";
import { type ApprovalDocuments, isShardOf } from "../sealed/approval-documents.ts";
import type { RecordSecurityEvent } from "../sealed/security.ts";

export interface PlansOptions {
  readonly state: Pick<StateStore, "shards">;
  readonly documents: Pick<ApprovalDocuments, "read">;
  readonly outbox: Outbox;
  readonly pins: Pick<Pins, "find">;
  readonly trusted: TrustedKeys;
  readonly security: RecordSecurityEvent;
  readonly log: Log;
}

/** Handles what workers say about the effect of writes. */
export interface Plans {
  /** Puts a worker's plan on its card, or reopens an approval whose target has changed. A repeat changes nothing. */
  arrived(message: Message, body: ApprovalPlanned): Promise<Verdict>;
  /** Handles the timer of a missing plan, and asks the worker for the plan again. Resolves to false for any other timer. */
  onTimer(timer: TimerRow): Promise<boolean>;
}

/**
 * Handles plans. Approvals accepts a plan only if the toolset's pinned key signed it for exactly this call, definition and arguments. So nobody else
 * decides what people see, and nobody else reopens an approval.
 */
export function handlePlans({ state, documents, outbox, pins, trusted, security, log }: PlansOptions): Plans {
  return {
    async arrived(message, body) {
      const shard = shardOf(body.toolCallId);
      if (!isShardOf(state, shard)) return { kind: "unusable", reason: "the call id names a shard that this store does not have" };
      const approvalId = approvalIdOf(body.toolCallId);
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const { now, approval } = await documents.read(approvalId, callParts(body.toolCallId).runId);
        if (!approval || approval.value.toolName !== body.toolName) return ACK;
        const said = await judged(approval.value, message, body);
        if (said.kind === "refused") {
          const by = message.source.slice(0, MOST_SOURCE);
          await security(shard, { kind: "message_refused", approvalId, by, details: { topic: message.topic, why: said.why } });
        }
        if (said.kind === "refused" || said.kind === "earlier") return ACK;
        const moved = moveOf(approval, body, said.kind === "plan" ? said.plan : null, now);
        // The answer is late, or a repeat.
        if (moved.kind === "illegal") return ACK;
        if ((await outbox.commit(shard, moved.change)).outcome !== "ok") continue;
        const { status, toolName: tool } = moved.approval;
        log.info({ approvalId, tool, status, drifted: body.drifted ?? null }, "a worker said what a write would change");
        return ACK;
      }
      return { kind: "retry", after: CROWDED_MS, reason: "others changed the approval at the same time" };
    },
    async onTimer({ id, shard }) {
      const approvalId = id.slice(planTimerIdOf("").length);
      if (!id.startsWith(planTimerIdOf("")) || !isApprovalId(approvalId)) return false;
      const { now, approval, refused } = await documents.read(approvalId, callParts(approvalCallId(approvalId)).runId);
      const moved = approval ? askPlanAgain(approval, { now }) : null;
      const version = approval?.version ?? refused?.version ?? 0;
      await outbox.commit(shard, moved?.kind === "move" ? moved.change : forgetPlanTimer(approvalId, version));
      return true;
    },
  };

  async function judged(approval: Approval, message: Message, { plan, problem, drifted: round }: ApprovalPlanned): Promise<Said> {
    const proof = message.attributes[attributes.receipt] ?? "";
    if ((plan === undefined) === (problem === undefined) || proof === "" || proof.length > MAX_SIGNED_CHARS) return MALFORMED;
    const hash = hashOf(plan, problem);
    if (hash === null) return MALFORMED;
    const { callId, toolset, toolName, toolHash, argsHash } = approval;
    const { pin } = await pins.find(toolName, toolHash);
    const keys = unitedKeys([trusted.of(`worker.${toolset}`), publicKeys(pin?.toolset === toolset ? (pin.receiptKeys ?? []) : [])]);
    const about = { callId, toolset, tool: toolName, toolHash, argsHash };
    const verdict = await verifyPlan({
      proof,
      keys,
      expected: { ...about, planHash: hash, ...(round === undefined ? {} : { drifted: round }) },
    });
    if (verdict.kind === "genuine")
      return plan === undefined ? { kind: "problem" } : { kind: "plan", plan: { hash, content: plan, proof } };
    // Somebody edited the arguments after the worker was asked. The answer is honest, but it is about earlier arguments.
    const earlier = (approval.earlier ?? []).map((one) => one.argsHash);
    for (const other of earlier) {
      const late = await verifyPlan({ proof, keys, expected: { ...about, argsHash: other, planHash: hash } });
      if (late.kind === "genuine") return { kind: "earlier" };
    }
    return { kind: "refused", why: verdict.kind };
  }

  function moveOf(read: Read<Approval>, { drifted: round, problem = "" }: ApprovalPlanned, made: SignedPlan | null, now: number) {
    if (round !== undefined) return drifted(read, round, made, { now });
    return made === null ? unplannable(read, problem, { now }) : planned(read, made, { now });
  }
}

/** What a message says about a write. */
type Said =
  | { readonly kind: "plan"; readonly plan: SignedPlan }
  /** The worker has a problem instead of a plan. */
  | { readonly kind: "problem" }
  /** The plan is genuine, but an approver has changed its arguments since. */
  | { readonly kind: "earlier" }
  | { readonly kind: "refused"; readonly why: string };

/** Returns the hash that the worker signed, or null if the content is too large or has no canonical form. */
function hashOf(plan: ApprovalPlanned["plan"], problem: string | undefined): string | null {
  try {
    if (plan === undefined) return planProblemHash(problem ?? "");
    return Buffer.byteLength(canonicalJson(plan)) <= MAX_PLAN_BYTES ? planHash(plan) : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

const MALFORMED: Said = { kind: "refused", why: "malformed" };
const ACK = { kind: "ack" } as const;
const MAX_ATTEMPTS = 8;
const CROWDED_MS = 100;
const MOST_SOURCE = 100;
