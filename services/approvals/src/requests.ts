import type { DeliveryContext, Disposition } from "@toolbus/bus";
import {
  type Approval,
  type ApprovalCancel,
  type ApprovalRequest,
  approvalIdOf,
  attributes,
  callParts,
  DEFAULT_AGENT,
  type Message,
  shardOf,
} from "@toolbus/contracts";
import { argumentsHash } from "@toolbus/grants";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { type Read, cancel, hold, type Moment, resend } from "./approval.ts";
import { isShardOf, readRecords, type Records } from "./approval-documents.ts";
import { judgeRequest } from "./judge-request.ts";
import { pinFault } from "./pin-rules.ts";
import type { Pins } from "./pins.ts";
import type { RecordSecurityEvent } from "./security.ts";

export interface RequestsOptions {
  readonly state: StateStore;
  readonly outbox: Outbox;
  readonly pins: Pins;
  readonly security: RecordSecurityEvent;
  readonly rules: Moment["rules"];
  readonly newCorrelationId: () => string;
  readonly log: Log;
}

/** Handlers of the two queues that agents write to. Each may be called again with the same message: the same approval is answered, never a second one made. */
export interface Requests {
  request(message: Message, body: ApprovalRequest): Promise<Disposition>;
  cancel(message: Message, body: ApprovalCancel, context: Pick<DeliveryContext, "count">): Promise<Disposition>;
}

export function handleRequests(options: RequestsOptions): Requests {
  const { state, outbox, pins, security, rules, newCorrelationId, log } = options;
  return {
    async request(message, request) {
      const agent = agentOf(message);
      if (agent === null) return { kind: "dead-letter", reason: "the agent's name is none" };
      if (!isShardOf(state, shardOf(request.toolCallId)))
        return { kind: "dead-letter", reason: "the call id names a shard that this store does not have" };
      const correlationId = newCorrelationId();
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const done = await answer(request, agent, correlationId);
        if (done) return { kind: "ack" };
      }
      return { kind: "retry", after: CROWDED_MS, reason: "others changed the approval at the same time" };
    },
    async cancel(_message, { toolCallId, reason }, { count }) {
      const shard = shardOf(toolCallId);
      if (!isShardOf(state, shard)) return { kind: "dead-letter", reason: "the call id names a shard that this store does not have" };
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const { now, approval } = await readRecords(state, approvalIdOf(toolCallId), callParts(toolCallId).runId);
        // The request may be behind its own cancel: queues keep no order between topics.
        if (!approval)
          return count < CANCEL_TRIES
            ? { kind: "retry", after: EARLY_CANCEL_MS, reason: "nothing is known of the call yet" }
            : { kind: "ack" };
        const moved = cancel(approval, reason, { now });
        if (moved.kind === "illegal" || (await outbox.commit(shard, moved.change)).outcome === "ok") return { kind: "ack" };
      }
      return { kind: "retry", after: CROWDED_MS, reason: "others changed the approval at the same time" };
    },
  };

  /** One try to make or to repeat an approval; false when somebody else was first. */
  async function answer(request: ApprovalRequest, agent: string, correlationId: string): Promise<boolean> {
    const records = await readRecords(state, approvalIdOf(request.toolCallId), callParts(request.toolCallId).runId);
    return records.approval ? repeat(request, agent, records.approval, records.now) : create(request, agent, correlationId, records);
  }

  async function create(request: ApprovalRequest, agent: string, correlationId: string, { now, origin }: Records): Promise<boolean> {
    const { pin, era } = await pins.find(request.toolName, request.toolHash);
    const { facts, holding } = judgeRequest({ request, agent, correlationId, origin, pin, now });
    const moment: Moment = { now, era, rules };
    const shard = shardOf(request.toolCallId);
    const first = hold(facts, holding, moment);
    const reply = await outbox.commit(shard, first.change);
    if (reply.outcome !== "full") return said(first.approval, reply.outcome === "ok");
    const limited = hold(facts, { by: "limit", reason: limitReason(facts, rules) }, moment);
    return said(limited.approval, (await outbox.commit(shard, limited.change)).outcome === "ok");
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
    const { approvalId, toolName: tool, tier, status } = approval;
    log.info({ approvalId, tool, tier, status }, "a write asked for a grant");
    return true;
  }
}

const MAX_ATTEMPTS = 5;
const CROWDED_MS = 100;
const CANCEL_TRIES = 3;
const EARLY_CANCEL_MS = 1000;

/** The agent that waits for the answer; its name is a part of topics. Null for a name that cannot be one. */
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
    argumentsHash(request.arguments) === before.argsHash
  );
}

function limitReason({ toolName }: { readonly toolName: string }, { AUTO_GRANTS_PER_RUN: count }: Moment["rules"]): string {
  return `This run was granted "${toolName}" ${count} times, which is the most that is granted without a person. Finish with what was done.`;
}
