import { type MessageBus, Unroutable } from "@toolbus/bus";
import {
  type ApprovalDecided,
  type ApprovalRequest,
  approvalIdOf,
  attributes,
  message,
  messageIds,
  messageTypes,
  shardOf,
  topics,
} from "@toolbus/contracts";
import { type Identity, signMessage } from "@toolbus/grants";
import { eventSample } from "@toolbus/state";
import type { RecordSecurityEvent } from "../sealed/security.ts";

/** A request for a write of a run whose origin is missing or was not signed by the gateway. */
export interface Unasked {
  readonly request: Pick<ApprovalRequest, "toolCallId" | "toolHash">;
  /** The recipient of the answer. */
  readonly agent: string;
  /** The store's time. */
  readonly now: number;
}

/**
 * Refuses a write that nobody asked for, and stores only a sampled security event. The sender may be an honest agent whose origin was damaged or has
 * expired. So it gets an answer before its request is acknowledged, and another one after a redelivery. An answer to a topic without a reader is
 * dropped. In a flood, only the first requests of a minute are answered, and an honest agent without an answer asks again. Agents that never took an
 * answer before share a small number of answers per minute. Names can be invented without limit, and a refusal by the broker costs more than a
 * message. Throws if the broker is unreachable, so that the request is delivered again.
 */
export type RefuseUnasked = (unasked: Unasked) => Promise<void>;

export function refuseUnasked({
  bus,
  identity,
  security,
  monotonic,
}: {
  readonly bus: Pick<MessageBus, "publish">;
  readonly identity: Identity;
  readonly security: RecordSecurityEvent;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}): RefuseUnasked {
  // The security events already include the unanswered requests, so nothing is reported here.
  const tell = async (): Promise<void> => undefined;
  const answers = eventSample({ monotonic, tell, perMinute: ANSWERS_PER_MINUTE });
  const strangers = eventSample({ monotonic, tell, perMinute: STRANGERS_PER_MINUTE });
  const known = new Set<string>();
  return async ({ request: { toolCallId, toolHash }, agent, now }) => {
    const approvalId = approvalIdOf(toolCallId);
    const body: ApprovalDecided = { toolCallId, approvalId, decidedBy: [], outcome: "refused", reason: NOBODY_ASKED };
    const answer = message({
      id: messageIds.other("unasked", approvalId, now),
      topic: topics.approvalDecided(agent),
      type: messageTypes.approvalDecided,
      source: "/approvals",
      now,
      correlationId: toolCallId,
      attributes: { [attributes.agent]: agent, [attributes.toolHash]: toolHash },
      body,
    });
    const place = { shard: shardOf(toolCallId) };
    if (answers.take("answer", place) && (known.has(agent) || strangers.take("stranger", place))) {
      try {
        await bus.publish(await signMessage(answer, identity));
        if (known.size < MOST_KNOWN) known.add(agent);
      } catch (error) {
        if (!(error instanceof Unroutable)) throw error;
      }
    }
    const details = { topic: topics.approvalRequest, why: "no_origin" };
    await security(shardOf(toolCallId), { kind: "message_refused", approvalId, by: agent, details });
  };
}

export const ANSWERS_PER_MINUTE = 600;
export const STRANGERS_PER_MINUTE = 30;
const MOST_KNOWN = 1000;

/** The reason that the model reads. */
export const NOBODY_ASKED = "No request of a person stands behind this run, so none of its writes is granted.";
