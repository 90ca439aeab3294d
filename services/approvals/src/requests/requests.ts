import type { DeliveryContext, Disposition, Verdict } from "@toolbus/bus";
import {
  type Approval,
  type ApprovalCancel,
  approvalIdOf,
  type ApprovalRequest,
  attributes,
  callParts,
  type CancelReason,
  counted,
  DEFAULT_AGENT,
  keys,
  type Message,
  shardOf,
} from "@toolbus/contracts";
import { argumentsHash, type TrustedKeys, verifySender } from "@toolbus/grants";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { type Facts, type GrantedSoFar, type Read, cancel, hold, type Holding, type Moment, resend } from "../machine/approval.ts";
import { askedOf } from "../machine/edited.ts";
import { type ApprovalDocuments, isShardOf, type Records, type RefusedApproval } from "../sealed/approval-documents.ts";
import { backgroundOf } from "./background.ts";
import { grantedIn } from "./granted-so-far.ts";
import type { GrantRate } from "./grant-rate.ts";
import { judgeRequest } from "./judge-request.ts";
import { pinFault } from "../pins/pin-rules.ts";
import type { PendingRoom } from "./pending-room.ts";
import type { Pins } from "../pins/pins.ts";
import type { Policy } from "../policy/policy.ts";
import type { RecordSecurityEvent } from "../sealed/security.ts";
import type { ApprovalsConfig } from "../settings.ts";
import type { RefuseUnasked } from "./unasked.ts";

export interface RequestsOptions {
  readonly state: Pick<StateStore, "shards" | "page">;
  readonly documents: ApprovalDocuments;
  readonly outbox: Outbox;
  readonly pins: Pins;
  readonly trusted: TrustedKeys;
  readonly security: RecordSecurityEvent;
  readonly rules: Moment["rules"] & Pick<ApprovalsConfig, "PENDING_PER_REQUESTER" | "APPROVAL_REMINDER_PERCENT">;
  /** Returns the policy in use. */
  readonly policy: () => Policy;
  readonly rate: GrantRate;
  readonly room: PendingRoom;
  readonly refuse: RefuseUnasked;
  readonly newCorrelationId: () => string;
  readonly log: Log;
}

/**
 * The handlers of the two queues that agents write to. A handler may be called again with the same message. It then answers for the same approval and
 * never makes a second one.
 */
export interface Requests {
  request(message: Message, body: ApprovalRequest): Promise<Verdict>;
  cancel(message: Message, body: ApprovalCancel, context: Pick<DeliveryContext, "count">): Promise<Verdict>;
}

/** The values that only a new request needs. */
interface FirstTime {
  readonly correlationId: string;
  /** Uses up one of the requester's grants of the hour. Further calls for the same request use up no more. */
  readonly take: (facts: Facts, now: number) => Promise<boolean>;
}

export function handleRequests(options: RequestsOptions): Requests {
  const { state, documents, outbox, pins, trusted, security, rules, policy, rate, room, refuse, newCorrelationId, log } = options;
  return {
    async request(message, request) {
      const agent = agentOf(message);
      if (agent === null) return { kind: "unusable", reason: "the agent's name is invalid" };
      if (!isShardOf(state, shardOf(request.toolCallId)))
        return { kind: "unusable", reason: "the call id names a shard that this store does not have" };
      const correlationId = newCorrelationId();
      // A failed attempt has only used up one grant of the hour, and the next attempt reuses this grant.
      let taken: Promise<boolean> | undefined;
      const take = (facts: Facts, now: number): Promise<boolean> => (taken ??= rate.take(facts, now));
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const done = await answer(request, agent, { correlationId, take });
        if (done) return { kind: "ack" };
      }
      return { kind: "retry", after: CROWDED_MS, reason: "others changed the approval at the same time" };
    },
    async cancel(message, { toolCallId, reason }, { count }) {
      const shard = shardOf(toolCallId);
      if (!isShardOf(state, shard)) return { kind: "unusable", reason: "the call id names a shard that this store does not have" };
      const sender = await verifySender(message, trusted);
      const refusedSender = sender.kind !== "genuine" ? sender.kind : sender.service === AGENT ? null : "not_an_agent";
      if (refusedSender !== null) return refuseCancel(message, toolCallId, refusedSender);
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const { now, approval, refused } = await documents.read(approvalIdOf(toolCallId), callParts(toolCallId).runId);
        if (refused) return { kind: "ack" };
        // The cancel may arrive before its request, because queues keep no order between topics.
        if (!approval)
          return count < CANCEL_TRIES
            ? { kind: "retry", after: EARLY_CANCEL_MS, reason: "nothing is known of the call yet" }
            : { kind: "ack" };
        if (agentOf(message) !== approval.value.agent) return refuseCancel(message, toolCallId, "another_agent");
        const moved = cancel(approval, CANCELLED[reason], { now });
        if (moved.kind === "illegal" || (await outbox.commit(shard, moved.change)).outcome === "ok") return { kind: "ack" };
      }
      return { kind: "retry", after: CROWDED_MS, reason: "others changed the approval at the same time" };
    },
  };

  async function refuseCancel({ topic, source }: Message, toolCallId: string, why: string): Promise<Disposition> {
    const by = source.slice(0, MOST_SOURCE);
    await security(shardOf(toolCallId), { kind: "message_refused", approvalId: approvalIdOf(toolCallId), by, details: { topic, why } });
    return { kind: "ack" };
  }

  /** Tries once to make the approval or to answer again. Returns false if somebody else changed the approval first. */
  async function answer(request: ApprovalRequest, agent: string, first: FirstTime): Promise<boolean> {
    const records = await documents.read(approvalIdOf(request.toolCallId), callParts(request.toolCallId).runId);
    if (records.approval) return repeat(request, agent, records.approval, records.now);
    // A pending approval from before the seals waits for an operator, and an approval whose key is missing waits for that key. Both may be genuine.
    // An approval without a seal that claims to be decided is not valid, so it ends.
    const { refused, origin, now } = records;
    if (refused?.why === "unknown_key" || (refused?.why === "unsealed" && refused.claimed?.status === "pending")) return true;
    // If nobody asked for the run, only an existing document is overwritten. So a flood of requests does not leave one document for each request.
    if (!refused && !origin) return refuse({ request, agent, now }).then(() => true);
    return create(request, agent, first, records);
  }

  /** Makes the approval. Overwrites an approval that somebody else wrote only with a refusal, so that the call ends and its person may ask again. */
  async function create(request: ApprovalRequest, agent: string, { correlationId, take }: FirstTime, records: Records): Promise<boolean> {
    const { now, origin, refused } = records;
    const { pin, era } = await pins.find(request.toolName, request.toolHash);
    const defaults = { expiryMs: rules.APPROVAL_EXPIRY_MS, remindPercent: rules.APPROVAL_REMINDER_PERCENT };
    const answerFault = pin && (await pins.answerFault(pin));
    const asked = { request, agent, correlationId, origin, pin, answerFault, policy: policy(), defaults, now };
    const { facts, holding, terms } = judgeRequest(asked);
    const moment: Moment = { now, era, rules };
    const quota = await quotaOf(facts, holding);
    const ended = refused ? notOurs(refused) : await limited(facts, holding, quota, { now, take: () => take(facts, now) });
    // Nobody was asked, so the arguments and the effect are not stored. A very large number of these approvals stays small.
    const kept = ended.by === "limit" && holding.by === "people" ? { ...facts, arguments: "", reasons: [], effect: "" } : facts;
    // The background costs reads, so it is read only if people will see it.
    const background = origin && ended.by === "people" ? await backgroundOf({ state, documents }, facts, origin) : {};
    const held = hold({ ...kept, ...background }, ended, moment, { over: refused?.version ?? 0, quota, terms });
    return said(held.approval, (await outbox.commit(shardOf(request.toolCallId), held.change)).outcome === "ok");
  }

  async function quotaOf({ runId, toolName, approvalId }: Facts, { by }: Holding): Promise<GrantedSoFar | null> {
    if (by !== "policy") return null;
    const { document } = await documents.own(keys.quota(runId, toolName), approvalId);
    if (document.kind === "absent") return { version: 0, granted: 0 };
    return { version: document.version, granted: grantedIn(document) };
  }

  /**
   * Returns `holding`, or a limit that ends the write. Policy has limits for the grants under one origin and for the grants to one principal within
   * an hour. People have a limit for the pending writes of one requester.
   */
  async function limited(
    facts: Facts,
    holding: Holding,
    quota: GrantedSoFar | null,
    { now, take }: { readonly now: number; readonly take: () => Promise<boolean> },
  ): Promise<Holding> {
    if (holding.by === "people" && !(await room.take(facts, now))) return { by: "limit", reason: tooManyPending(rules) };
    if (quota === null) return holding;
    if (quota.granted === null) return { by: "limit", reason: UNCOUNTED };
    if (quota.granted >= rules.AUTO_GRANTS_PER_RUN) return { by: "limit", reason: limitReason(facts, rules) };
    return (await take()) ? holding : { by: "limit", reason: rateReason(facts) };
  }

  async function repeat(request: ApprovalRequest, agent: string, approval: Read<Approval>, now: number): Promise<boolean> {
    const before = approval.value;
    const shard = shardOf(request.toolCallId);
    if (!isSameRequest(request, before)) {
      const { toolName, toolHash } = request;
      const details = { tool: toolName, toolHash, argsHash: argumentsHash(request.arguments) };
      await security(shard, { kind: "conflicting_request", approvalId: before.approvalId, by: agent, details });
      return true;
    }
    const { pin, era } = await pins.find(before.toolName, before.toolHash);
    const moved = resend(approval, pinFault(pin, before), { now, era, rules });
    return (await outbox.commit(shard, moved.change)).outcome === "ok";
  }

  function said(approval: Approval, committed: boolean): boolean {
    if (!committed) return false;
    const { approvalId, callId, toolName: tool, tier, status } = approval;
    log.info({ approvalId, callId, tool, tier, status }, "a write asked for a grant");
    return true;
  }
}

function notOurs({ why }: RefusedApproval): Holding {
  const what = why === "older" ? "an older copy of it" : "not what the approvals service stored";
  return {
    by: "refused",
    reason: `The stored approval is ${what}, so it grants nothing. A new run can ask for the write again.`,
  };
}

const UNCOUNTED =
  "The grants of the tool to this run without a person can no longer be counted, because the count was changed in the store. Finish with what was done.";
/** All agents share one trust domain and one key. The message says which agent asked, and only this agent may cancel. */
const AGENT = "agent";
const CANCELLED: Readonly<Record<CancelReason, string>> = {
  not_needed: "The run no longer needs this decision.",
  run_cancelled: "The run was cancelled.",
};
const MOST_SOURCE = 100;
// Requests of one run and tool change the same count, so one request may lose the race against every other that is handled at the same time.
const MAX_ATTEMPTS = 32;
const CROWDED_MS = 100;
const CANCEL_TRIES = 3;
const EARLY_CANCEL_MS = 1000;

/** Returns the agent that waits for the answer, or null if its name is invalid. The name is a part of topics. */
function agentOf(message: Message): string | null {
  const name = message.attributes[attributes.agent] ?? DEFAULT_AGENT;
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name) ? name : null;
}

function isSameRequest(request: ApprovalRequest, before: Approval): boolean {
  return (
    request.toolName === before.toolName &&
    request.toolVersion === before.toolVersion &&
    request.toolHash === before.toolHash &&
    request.sessionId === before.conversationId &&
    argumentsHash(request.arguments) === askedOf(before).argsHash
  );
}

function rateReason({ toolName }: { readonly toolName: string }): string {
  return `"${toolName}" was granted without a person as often as it may be to this requester within an hour. Finish with what was done.`;
}

function tooManyPending({ PENDING_PER_REQUESTER: count }: RequestsOptions["rules"]): string {
  return `${counted(count, "write")} of this requester ${count === 1 ? "waits" : "wait"} for people already, the maximum at a time, so nobody was asked for this one. It can be asked for again when ${count === 1 ? "it was" : "some of them were"} decided.`;
}

function limitReason({ toolName }: { readonly toolName: string }, { AUTO_GRANTS_PER_RUN: count }: Moment["rules"]): string {
  return `This run was granted "${toolName}" ${counted(count, "time")}, the maximum without a person. Finish with what was done.`;
}
